# An endless input that is no recording, and a sample with too many threads.
yes | head -c 300000000 | {
	sjkc ttop --replay - 2>&1
	echo "status $?"
	[ "$(wc -c)" -gt 250000000 ] || echo 'much of it was read'
}
many() {
	head -n 1 "$DATA/ttop/made.jsonl"
	printf '{"at":1,"wall":1,"process":{},"threads":[{}'
	yes ',{}' | head -n "$1" | tr -d '\n'
	echo ']}'
	sed -n 2,3p "$DATA/ttop/made.jsonl"
}
for count in 131071 131072; do
	many $count | sjkc ttop --replay - --csv 2>&1 | sed 's/,.*//' | uniq -c
done
