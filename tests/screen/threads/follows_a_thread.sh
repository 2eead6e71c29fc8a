# Sorted by name it is elsewhere, and still the chosen one.
sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x14 --keys '<down><down>FN<show>'
