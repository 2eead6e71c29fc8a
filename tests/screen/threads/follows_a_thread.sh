# Sorting by name moves the selected thread; it stays selected.
sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x14 --keys '<down><down>FN<show>'
