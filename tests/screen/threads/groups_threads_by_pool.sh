# Collapse a pool, expand it, collapse it from a thread, expand all.
sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x24 --keys 'u<show><down><down><down><down><down><enter><down><show><left><show>*'
