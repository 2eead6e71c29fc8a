# Scroll beyond both ends, then resize.
sjkc ttop --replay "$DATA/ttop/deadlocked.jsonl" --screen 80x14 --keys 'd<show><end><show><pgup><up><wheelup><show><size:80x70><show><size:80x14><home><up>'
