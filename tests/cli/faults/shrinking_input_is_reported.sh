# Truncating a mapped file removes its pages. strace stops sjkc after it has
# mapped its input, so that the truncation precedes the first read.
strace -qq -o /dev/null true 2>/dev/null || { echo 'no tracing'; exit 77; }
seq 1 400000 | sed 's/^/main;work;part/; s/$/ 1/' >in.folded
echo old >out.folded
strace -o log -e trace=madvise -e inject=madvise:signal=SIGSTOP:when=1 \
	sh -c 'echo $$ >pid; exec sjkc flame -q -o out.folded in.folded' &
# shellcheck disable=SC2034 # only counts
for i in $(seq 1 300); do
	grep -q 'stopped by SIGSTOP' log 2>/dev/null && break
	sleep 0.1
done
: >in.folded
kill -CONT "$(cat pid)"
wait $!
echo "exit status $?"
cat out.folded
ls
