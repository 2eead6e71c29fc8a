for format in --json --csv; do
	sjkc ttop --replay "$DATA/ttop/made.jsonl" --iterations 2 -n 3 \
		-o USER,NAME $format
done
