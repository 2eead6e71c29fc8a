head -c 12000 "$DATA/ttop/made.jsonl" >cut.jsonl
sjkc ttop --replay cut.jsonl -n 1
