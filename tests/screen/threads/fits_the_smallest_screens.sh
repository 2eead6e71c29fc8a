for size in 1x1 2x1 1x2 3x3 10x3 20x5 30x7 40x12; do
	echo "$size"
	sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen $size || exit
done
