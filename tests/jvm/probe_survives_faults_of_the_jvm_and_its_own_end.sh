# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for the JVM.
# sjkc probe: a JVM that ends, is stopped, refuses agents or runs in a container,
# and sjkc itself being killed.  Each has a clear message, and the JVM can be
# probed again.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/probe.sh

# works: the JVM's calls are counted, so no earlier session is left
works() {
	for _ in $(seq 1 100); do
		"$sjkc" probe "$pid" -q --csv -d 1s Orders.submit \
			>"$scratch/out" 2>"$scratch/err" && break
		# The agent may still be restoring classes.
		grep -q 'another sjkc' "$scratch/err" || break
		sleep 0.2
	done
	probe_counts "$scratch/out" | grep -q 'submit(long) [1-9]' ||
		{ echo 'no calls:'; cat "$scratch/out" "$scratch/err"; return 1; }
}

ended_jvm_is_reported() {
	target "$1" -- hold=1 threads=1 calls=50 slow=0 || return
	probe_start Orders.submit || return
	sleep 1
	kill -KILL "$pid"
	wait "$probing"
	status=$?
	[ $status -eq 3 ] && grep -q 'ended' "$scratch/err" &&
		grep -q '^2 methods of Calls' "$scratch/out" ||
		{ echo "exit $status"; cat "$scratch/err"; return 1; }
	target_end "$pid"
}

stopped_jvm_is_restored_later() {
	target "$1" -- hold=1 threads=1 calls=50 slow=0 || return
	probe_start Orders.submit || return
	target_stop "$pid" || return
	kill -INT "$probing"
	wait "$probing"
	grep -q 'cannot disarm now' "$scratch/err" &&
		grep -q '^2 methods of Calls' "$scratch/out" ||
		{ cat "$scratch/err"; return 1; }
	kill -CONT "$pid"
	works || return
	target_end "$pid"
}

killed_sjkc_leaves_no_probe() {
	target "$1" -- hold=1 threads=1 calls=50 slow=0 || return
	probe_start 'Orders.*' || return
	kill -KILL "$probing"
	wait "$probing" 2>/dev/null
	works || return
	# Killed while it arms.
	for delay in 0.05 0.15 0.3; do
		"$sjkc" probe "$pid" 'Orders.*' >/dev/null 2>&1 &
		probing=$!
		sleep $delay
		kill -KILL $probing
		wait $probing 2>/dev/null
	done
	works || return
	target_end "$pid"
}

second_sjkc_is_refused() {
	target "$1" -- hold=1 threads=1 calls=50 slow=0 || return
	probe_start Orders.submit || return
	! "$sjkc" probe "$pid" -d 1s Orders.locked 2>"$scratch/second" &&
		grep -q 'another sjkc' "$scratch/second" ||
		{ cat "$scratch/second"; return 1; }
	kill -INT "$probing"
	wait "$probing" || { cat "$scratch/err"; return 1; }
	target_end "$pid"
}

agents_are_forbidden() {
	target "$1" -XX:-EnableDynamicAgentLoading -- hold=1 threads=1 calls=50 slow=0 || return
	"$sjkc" probe "$pid" -d 1s Orders.submit 2>"$scratch/err"
	status=$?
	[ $status -eq 5 ] && grep -q 'EnableDynamicAgentLoading; use --jfr' \
		"$scratch/err" || { echo $status; cat "$scratch/err"; return 1; }
	target_end "$pid"
}

jvm_in_a_container_is_probed() {
	target_contained "$1" -- hold=1 threads=1 calls=50 slow=0 || return
	works || return
	target_end "$pid"
}

# The JVM's mappings and descriptors do not grow with the number of sessions.
sessions_leave_nothing() {
	target "$1" -- hold=1 threads=1 calls=50 slow=0 || return
	for i in $(seq 1 "${CYCLES-12}"); do
		"$sjkc" probe "$pid" -q --csv -d 10ms Orders.submit \
			>/dev/null 2>"$scratch/err" ||
			{ echo "session $i:"; cat "$scratch/err"; return 1; }
		[ "$i" -ne 4 ] || before=$(ls "/proc/$pid/fd" | wc -l)
		[ "$i" -ne 4 ] || maps=$(grep -c sjkc "/proc/$pid/maps")
	done
	after=$(ls "/proc/$pid/fd" | wc -l)
	[ "$after" -le "$before" ] && [ "$(grep -c sjkc "/proc/$pid/maps")" -le "$maps" ] ||
		{ echo "descriptors: $before, $after; mappings: $maps"; return 1; }
	target_end "$pid"
}

for jdk in $(jdks); do
	for part in ended_jvm_is_reported stopped_jvm_is_restored_later \
		killed_sjkc_leaves_no_probe second_sjkc_is_refused \
		agents_are_forbidden sessions_leave_nothing; do
		"$part" "$jdk" || { echo "$jdk: $part"; exit 1; }
		[ -z "${TIMES-}" ] || { echo "$part: $(date +%T)" >&2; }
	done
	[ "$(id -u)" -ne 0 ] || jvm_in_a_container_is_probed "$jdk" ||
		{ echo "$jdk: container"; exit 1; }
done
