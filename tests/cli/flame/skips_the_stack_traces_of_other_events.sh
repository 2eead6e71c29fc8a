# With -e, flame skips the stack traces of other events.  With a filter that
# every stack trace passes, it reads all of them, and the graphs are equal.
compared=0
for recording in "$DATA"/jfr/*.jfr; do
	for event in cpu wall alloc lock park; do
		sjkc flame -q -e $event --total -o few.collapsed \
			"$recording" 2>few.err || continue
		sjkc flame -q -e $event --total -o all.collapsed -I . \
			"$recording" 2>all.err
		cmp few.collapsed all.collapsed
		compared=$((compared + 1))
	done
done
[ $compared -ge 5 ] || echo "only $compared graphs"
