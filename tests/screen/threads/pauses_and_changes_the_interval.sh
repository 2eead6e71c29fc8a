sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x8 --keys \
	'+<show>--<show>p<show>p<tick><tick><tick><tick><tick>p' |
	grep -v -e '^ *[0-9]' -e TID
