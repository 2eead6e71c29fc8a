# Help and manual describe a key in the same words.
manual=${0%/*}/../../../docs/man/sjkc-ttop.1
sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 100x90 --keys '?' |
	sed -n '/^Keys/,/^$/s/^  //p' >help
[ -s help ] || echo 'the help has no keys'
while read -r line; do
	keys=$(echo "$line" | sed 's/  .*//; s/[.,?]/\\\&&/g; s/-/\\-/g')
	does=$(echo "$line" | sed 's/.*  //')
	grep -A 1 -F -x ".It Ic $keys" "$manual" | grep -q -i -F -x "$does." ||
		printf '%s\n%s.\n' ".It Ic $keys" "$does"
done <help
