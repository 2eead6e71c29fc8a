sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x16 -o -NAME
