# SPDX-License-Identifier: Apache-2.0
# While another process holds the lock that sjkc needs for attaching, samples
# are taken on time.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/samples.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
command -v flock >/dev/null || { echo 'no flock'; exit 77; }

# hold_lock SECONDS: holds the lock, in the background
hold_lock() {
	rm -f "$scratch/held"
	flock --no-fork "/proc/$pid/environ" \
		sh -c "echo HELD; exec sleep $1" >"$scratch/held" &
	holder=$!
	target_pids="$target_pids $holder"
	target_wait "$scratch/held" HELD || exit 1
}

# exits PID: waits up to 60 s until the process has exited
exits() {
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

	# Samples are taken before the JVM replies; then the threads get names.
	hold_lock 3
	samples "$jvm" sample names=Thread.print
	samples_have 'until the JVM answers'
	samples_have 'note names given: Thread.print, '

	# If the JVM does not reply in time, the samples contain the reason, and
	# no second request is sent.
	hold_lock 60
	samples "$jvm" timeout=500 sample 'names=15 bytes: ' sample
	samples_have 'until the JVM answers'
	[ "$(grep -c 'note names absent: .*15 bytes: ' "$got")" -ge 2 ] ||
		{ echo "$jdk: no reason in:"; cat "$got"; exit 1; }

	# If the sampling process is killed while it waits, its child exits too.
	rm -f "$scratch/killed"
	"$TOOLS/show_samples" "$jvm" until=nobody >"$scratch/killed" 2>&1 &
	watcher=$!
	target_wait "$scratch/killed" 'until the JVM answers' || exit 1
	child=$(cat "/proc/$watcher/task/$watcher/children")
	[ -n "$child" ] ||
		{ echo "$jdk: no child of:"; cat "$scratch/killed"; exit 1; }
	kill -KILL $watcher
	wait $watcher 2>/dev/null
	exits "${child% }"
	target_end "$holder"
	target_end "$jvm"
done
