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
		"$sjkc" probe "$pid" -q --csv -d 200ms Orders.submit \
			>"$scratch/out" 2>"$scratch/err" && break
		# The agent may still be restoring classes.
		grep -q 'another sjkc' "$scratch/err" || break
		sleep 0.2
	done
	probe_counts "$scratch/out" | grep -q 'submit(long) [1-9]' ||
		{ echo 'no calls:'; cat "$scratch/out" "$scratch/err"; return 1; }
}

second_sjkc_is_refused() {
	probe_start Orders.submit || return
	! "$sjkc" probe "$pid" -d 1s Orders.locked 2>"$scratch/second" &&
		grep -q 'another sjkc' "$scratch/second" ||
		{ cat "$scratch/second"; return 1; }
	kill -INT "$probing"
	wait "$probing" || { cat "$scratch/err"; return 1; }
}

killed_sjkc_leaves_no_probe() {
	probe_start 'Orders.*' || return
	kill -KILL "$probing"
	wait "$probing" 2>/dev/null
	works || return
	# Killed while it arms.
	for delay in 0.02 0.05 0.1 ${EVERY_JDK:+0.15 0.2 0.3}; do
		"$sjkc" probe "$pid" 'Orders.*' >/dev/null 2>&1 &
		probing=$!
		sleep $delay
		kill -KILL $probing
		wait $probing 2>/dev/null
	done
	works
}

stopped_jvm_is_restored_later() {
	probe_start Orders.submit || return
	target_stop "$pid" || return
	kill -INT "$probing"
	wait "$probing"
	status=$?
	kill -CONT "$pid"
	[ $status -eq 0 ] && grep -q 'cannot remove the instrumentation now: .* the JVM is stopped' \
		"$scratch/err" && grep -q '^2 methods of Calls' "$scratch/out" ||
		{ echo "exit $status"; cat "$scratch/err"; return 1; }
	works
}

# The JVM's mappings and descriptors do not grow with the number of sessions.
sessions_leave_nothing() {
	for i in $(seq 1 "${CYCLES-8}"); do
		"$sjkc" probe "$pid" -q --csv -d 10ms Orders.submit \
			>/dev/null 2>"$scratch/err" ||
			{ echo "session $i:"; cat "$scratch/err"; return 1; }
		[ "$i" -ne 4 ] || before=$(ls "/proc/$pid/fd" | wc -l)
		[ "$i" -ne 4 ] || maps=$(grep -c '[.:]sjkc-' "/proc/$pid/maps")
	done
	after=$(ls "/proc/$pid/fd" | wc -l)
	[ "$after" -le "$before" ] && [ "$(grep -c '[.:]sjkc-' "/proc/$pid/maps")" -le "$maps" ] ||
		{ echo "descriptors: $before, $after; mappings: $maps"; return 1; }
}

ended_jvm_is_reported() {
	probe_start Orders.submit || return
	kill -KILL "$pid"
	wait "$probing"
	status=$?
	[ $status -eq 3 ] && grep -q 'exited' "$scratch/err" &&
		grep -q '^2 methods of Calls' "$scratch/out" ||
		{ echo "exit $status"; cat "$scratch/err"; return 1; }
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

for jdk in $(jdks); do
	target "$jdk" -- hold=1 threads=1 calls=50 slow=0 || exit 1
	for part in second_sjkc_is_refused killed_sjkc_leaves_no_probe \
		stopped_jvm_is_restored_later sessions_leave_nothing \
		ended_jvm_is_reported; do
		"$part" || { echo "$jdk: $part"; exit 1; }
	done
	target_end "$pid"
	agents_are_forbidden "$jdk" || { echo "$jdk: forbidden"; exit 1; }
	[ "$(id -u)" -ne 0 ] || jvm_in_a_container_is_probed "$jdk" ||
		{ echo "$jdk: container"; exit 1; }
done
