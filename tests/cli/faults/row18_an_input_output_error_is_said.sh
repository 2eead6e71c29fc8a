echo 'main;work 3' >in.folded
echo old >out.html
strace -qq -o /dev/null true 2>/dev/null || { echo 'no tracing'; exit 77; }
for call in write close rename; do
	# The first close is of the dynamic linker's; the output's comes last.
	strace -qq -o log -e trace=$call sjkc flame -q -o whole.html in.folded
	last=$(wc -l <log)
	strace -qq -o /dev/null -e trace=$call \
		-e inject=$call:error=EIO:when="$last" \
		sjkc flame -q -o out.html in.folded
	echo "$call: exit status $?"
	cat out.html
done
ls
