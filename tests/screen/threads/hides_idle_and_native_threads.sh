sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x24 --keys 'i<show>J'
