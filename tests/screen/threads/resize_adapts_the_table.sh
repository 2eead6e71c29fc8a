sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x24 --keys '<end><size:40x9><show><size:10x3><show><size:120x30>'
