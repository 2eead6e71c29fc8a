sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x24 --keys 'ab<nokey>'; echo "$?"
sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80; echo "$?"
sjkc ttop --replay "$DATA/ttop/made.jsonl" --keys q; echo "$?"
