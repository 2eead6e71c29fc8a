seq 1 60000 | sed 's/^/main;work;a.package.Name.part/; s/$/ 1/' >in.folded
sjkc flame -q -o whole.folded in.folded
echo old >old.folded
stopped=0
for ms in 0 1 2 3 5 7 9 12 15 20 25 30 40 50 70 90 120 150 200 300; do
	cp old.folded out.folded
	# Shells ignore SIGINT for what runs in the background.
	env --default-signal=INT sjkc flame -q -o out.folded in.folded &
	pid=$!
	sleep "$(printf '0.%03d' $ms)"
	kill -INT $pid 2>/dev/null
	wait $pid
	status=$?
	case $status in
	0) cmp -s out.folded whole.folded || echo "$ms ms: cut" ;;
	130)
		stopped=$((stopped + 1))
		cmp -s out.folded old.folded || cmp -s out.folded whole.folded ||
			echo "$ms ms: torn" ;;
	*) echo "$ms ms: exit status $status" ;;
	esac
	for file in out.folded.*; do
		[ ! -e "$file" ] || { echo "$ms ms: $file is left"; rm "$file"; }
	done
done
[ $stopped -gt 0 ] || echo 'it was never in time'
