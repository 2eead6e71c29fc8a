# The parent executes another program, which never waits for its child.
sh -c 'sleep 1 & echo $! >pid; exec sleep 60' &
parent=$!
# shellcheck disable=SC2034 # only counts
for i in $(seq 1 300); do
	[ -s pid ] && grep -q '^State:.Z' "/proc/$(cat pid)/status" && break
	sleep 0.1
done
sjkc doctor "$(cat pid)" 2>&1 | sed "s/$(cat pid)/ZOMBIE/"
sjkc doctor "$(cat pid)" 2>/dev/null
echo "exit status $?"
kill $parent
