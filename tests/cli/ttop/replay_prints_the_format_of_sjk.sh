sjkc ttop --replay "$DATA/ttop/made.jsonl" --iterations 2
