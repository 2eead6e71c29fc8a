sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 120x40 && sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 200x60
