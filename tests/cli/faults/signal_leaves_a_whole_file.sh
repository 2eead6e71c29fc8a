seq 1 60000 | sed 's/^/main;work;a.package.Name.part/; s/$/ 1/' >in.folded
sjkc flame -q -o whole.folded in.folded
echo old >old.folded
stopped=0
signal=INT
for ms in 0 1 2 3 5 7 9 12 15 20 25 30 40 50 70 90 120 150 200 300; do
	cp old.folded out.folded
	# A shell ignores SIGINT in its background processes.
	env --default-signal=INT,TERM sjkc flame -q -o out.folded in.folded &
	pid=$!
	sleep "$(printf '0.%03d' $ms)"
	kill -$signal $pid 2>/dev/null
	wait $pid 2>/dev/null # the shell says Terminated
	status=$?
	case $status in
	0) cmp -s out.folded whole.folded || echo "$ms ms: cut" ;;
	130|143)
		[ $status -eq 143 ] && [ $signal = INT ] && echo 'not SIGINT'
		[ $status -eq 130 ] && [ $signal = TERM ] && echo 'not SIGTERM'
		stopped=$((stopped + 1))
		cmp -s out.folded old.folded || cmp -s out.folded whole.folded ||
			echo "$ms ms: torn" ;;
	*) echo "$ms ms: exit status $status" ;;
	esac
	[ $signal = INT ] && signal=TERM || signal=INT
	for file in out.folded.*; do
		[ ! -e "$file" ] || { echo "$ms ms: $file is left"; rm "$file"; }
	done
done
[ $stopped -gt 0 ] || echo 'it was never in time'
