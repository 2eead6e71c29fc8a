sjkc ttop --replay "$DATA/ttop/deadlocked.jsonl" --screen 100x76 --keys 'd'
