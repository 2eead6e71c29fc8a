sjkc ttop --replay "$DATA/ttop/deadlocked.jsonl" --screen 120x50 && sjkc ttop --replay "$DATA/ttop/deadlocked.jsonl" --screen 80x24
