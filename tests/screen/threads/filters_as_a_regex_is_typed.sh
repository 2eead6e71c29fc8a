# An incomplete expression keeps the table and prints the error.
sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x16 --keys '/pool<show>-(<show><backspace><enter><show><esc>'
