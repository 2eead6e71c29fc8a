LC_ALL=C sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x16 --keys 'u'
