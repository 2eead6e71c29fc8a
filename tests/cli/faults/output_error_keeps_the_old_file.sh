echo 'main;work 3' >in.folded
echo old >out.folded
strace -qq -o /dev/null true 2>/dev/null || { echo 'no tracing'; exit 77; }
for call in write close renameat; do
	# The dynamic linker also closes files; inject into the last call.
	strace -qq -o log -e trace=$call sjkc flame -q -o whole.folded in.folded
	last=$(wc -l <log)
	# The directory of the output is closed last.
	[ $call != close ] || last=$((last - 1))
	strace -qq -o /dev/null -e trace=$call \
		-e inject=$call:error=EIO:when="$last" \
		sjkc flame -q -o out.folded in.folded
	echo "$call: exit status $?"
	cat out.folded
done
ls
