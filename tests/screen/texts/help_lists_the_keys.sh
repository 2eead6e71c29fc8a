sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x24 --keys '?<show><pgdn><show><pgdn>'
