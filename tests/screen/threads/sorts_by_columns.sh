# By the next column, reversed, by the fifth column, by a clicked title.
sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x16 --keys '><show>R<show>5<show><click:5,45>'
