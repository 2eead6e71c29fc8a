faults=$TOOLS/faults.so
[ -e "$faults" ] || { echo 'no faults.so'; exit 77; }
seq 1 300 | sed 's/^/main;work;a.package.Name.part/; s/$/ 1/' >in.folded
gzip -k in.folded
echo old >out.html
for args in '--output-format html --include work in.folded.gz' \
	'--output-format collapsed --from -10s '"$DATA"'/jfr/ap-lock.jfr' \
	"--output-format html --lines $DATA/jfr/ap-lock.jfr"; do
	# shellcheck disable=SC2086 # words
	FAULT_COUNT=count LD_PRELOAD=$faults sjkc flame -q -o whole $args
	count=$(cat count)
	[ "$count" -gt 20 ] || echo "only $count allocations"
	stride=$((count / 100 + 1))
	for n in $(seq 1 $stride "$count"); do
		# shellcheck disable=SC2086 # words
		FAULT_ALLOC=$n LD_PRELOAD=$faults sjkc flame -q -o out.html \
			$args 2>err
		status=$?
		[ $status -eq 1 ] || echo "allocation $n: exit status $status"
		grep -q '^sjkc: out of memory' err ||
			echo "allocation $n: $(cat err)"
		# Replace the size in the message by a constant.
		! grep -qE '[0-9]{15}' err || echo "allocation $n: $(cat err)"
		[ "$(cat out.html)" = old ] || echo "allocation $n: written"
		[ -z "$(ls out.html.* 2>/dev/null)" ] ||
			echo "allocation $n: left $(ls out.html.*)"
	done
done
