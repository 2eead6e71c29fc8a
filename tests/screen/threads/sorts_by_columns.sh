# By the next, by that turned around, by the fifth, by a title that is clicked.
sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x16 --keys '><show>R<show>5<show><click:5,45>'
