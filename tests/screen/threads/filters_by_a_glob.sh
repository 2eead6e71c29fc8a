sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x16 -f 'pool-*' &&
sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x16 --keys 'fburner-?<enter>'
