# SPDX-License-Identifier: Apache-2.0
# A pipe where the JVM's counters were: it is refused, and who waits for a
# reader at its other end never sees one.  A device would have been set going.
# In a /tmp of its own: other JVMs open what is beside their counters, and would
# wait for the pipe.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh

check() {
	target_contained "$1" || return
	# As the JVM's user, in its namespaces.
	inside="nsenter --target $pid --user --mount --setuid 1 --setgid 1"
	$inside sh -c 'rm /tmp/hsperfdata_*/1 &&
		mkfifo /tmp/hsperfdata_daemon/1' || return
	# No function: it is the writer itself that is to be ended.
	$inside sh -c ': >/tmp/hsperfdata_daemon/1' &
	writer=$!
	"$sjkc" vminfo -p "$pid" --perf >"$scratch/out" 2>"$scratch/err"
	status=$?
	"$sjkc" jps >"$scratch/jps" 2>&1
	# SIGTERM is lost when it comes before a shell begun has reset its traps.
	kill -KILL "$writer" 2>/dev/null || { echo 'the pipe was opened'; return 1; }
	wait "$writer" 2>/dev/null
	grep -q 'is not a regular file' "$scratch/err" && [ $status -eq 5 ] &&
		grep -q "^ *$pid " "$scratch/jps" && target_end "$pid"
}

for jdk in $(jdks); do
	check "$jdk" || { cat "$scratch/err" "$scratch/jps"; exit 1; }
done
[ -n "${jdk-}" ] || { echo 'no JDK'; exit 77; }
