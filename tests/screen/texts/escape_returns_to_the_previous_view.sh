sjkc ttop --replay "$DATA/ttop/deadlocked.jsonl" --screen 80x14 --keys '<down><down><enter>?<show>q<show>d<show>qq'
