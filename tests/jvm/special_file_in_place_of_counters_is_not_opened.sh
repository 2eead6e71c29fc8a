# SPDX-License-Identifier: Apache-2.0
# A pipe replaces the file with the JVM's counters.  sjkc rejects it without
# opening it, because opening a device could start an action, and reads the
# counters from the JVM's memory.  The JVM has its own /tmp,
# because other JVMs open the files beside their counters and would wait for the
# pipe.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh

check() {
	target_contained "$1" || return
	# As the JVM's user, in its namespaces.
	inside="nsenter --target $pid --user --mount --setuid 1 --setgid 1"
	$inside sh -c 'rm /tmp/hsperfdata_*/1 &&
		mkfifo /tmp/hsperfdata_daemon/1' || return
	# Not in a function, so that $! is the writer itself.
	$inside sh -c ': >/tmp/hsperfdata_daemon/1' &
	writer=$!
	"$sjkc" vminfo -p "$pid" --perf >"$scratch/out" 2>"$scratch/err"
	status=$?
	"$sjkc" jps >"$scratch/jps" 2>&1
	# A shell that has just started, and has not reset its traps, would
	# ignore SIGTERM.
	kill -KILL "$writer" 2>/dev/null || { echo 'the pipe was opened'; return 1; }
	wait "$writer" 2>/dev/null
	grep -q '^sun.rt.safepoints: ' "$scratch/out" && [ $status -eq 0 ] &&
		grep -q "^ *$pid " "$scratch/jps" && target_end "$pid"
}

for jdk in $(jdks); do
	check "$jdk" || { cat "$scratch/err" "$scratch/jps"; exit 1; }
done
[ -n "${jdk-}" ] || { echo 'no JDK'; exit 77; }
