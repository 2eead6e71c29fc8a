# SPDX-License-Identifier: Apache-2.0
# Somebody else holds the lock that one of us takes to ask a JVM.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/samples.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
command -v flock >/dev/null || { echo 'no flock'; exit 77; }

# hold SECONDS: the lock, in the background
hold() {
	rm -f "$scratch/held"
	flock --no-fork "/proc/$pid/environ" \
		sh -c "echo HELD; exec sleep $1" >"$scratch/held" &
	holder=$!
	target_pids="$target_pids $holder"
	target_wait "$scratch/held" HELD || exit 1
}

# ends PID: it does, within 5 s: it would wait for the lock for 10
ends() {
	for _ in $(seq 1 600); do
		[ -d "/proc/$1" ] || return 0
		sleep 0.1
	done
	echo "$jdk: $1 is left behind"
	kill -KILL "$1"
	exit 1
}

for jdk in $(jdks); do
	target "$jdk" -- threads=1 || exit 1
	jvm=$pid

	# There are samples meanwhile, and names when it answers.
	hold 3
	samples "$jvm" sample names=Thread.print
	has 'until the JVM answers'
	has 'note names given: Thread.print, '

	# It does not in time: that is said, and it is not asked again.
	hold 60
	samples "$jvm" timeout=500 sample 'names=15 bytes: ' sample
	has 'until the JVM answers'
	[ "$(grep -c 'note names absent: .*15 bytes: ' "$got")" -ge 2 ] ||
		{ echo "$jdk: no reason in:"; cat "$got"; exit 1; }

	# Killed while it waits, it leaves no child behind.
	rm -f "$scratch/killed"
	"$TOOLS/show_samples" "$jvm" until=nobody >"$scratch/killed" 2>&1 &
	watcher=$!
	target_wait "$scratch/killed" 'until the JVM answers' || exit 1
	child=$(cat "/proc/$watcher/task/$watcher/children")
	[ -n "$child" ] ||
		{ echo "$jdk: no child of:"; cat "$scratch/killed"; exit 1; }
	kill -KILL $watcher
	wait $watcher 2>/dev/null
	ends "${child% }"
	target_end "$holder"
	target_end "$jvm"
done
