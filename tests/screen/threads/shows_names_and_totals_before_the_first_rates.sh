head -n 2 "$DATA/ttop/made.jsonl" >first.jsonl
sjkc ttop --replay first.jsonl --screen 110x16
