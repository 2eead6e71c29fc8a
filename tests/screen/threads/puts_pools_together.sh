# Closed, opened, closed from within, all of them open.
sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x24 --keys 'u<show><down><down><down><down><down><enter><down><show><left><show>*'
