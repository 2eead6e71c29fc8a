# One that is none yet leaves the table as it was, and says so.
sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x16 --keys '/pool<show>-(<show><backspace><enter><show><esc>'
