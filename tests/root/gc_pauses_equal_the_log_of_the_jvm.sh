# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for pauses.
# Each JDK: the places of the probes depend on the build of libjvm.
# Stopped time, time to safepoint and operation of each pause equal the JVM's own
# log to the nanosecond, with a probe, and without where a poll saw one pause.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh

# recorded COUNT TEXT ARGUMENT…: runs gc until its output has COUNT lines with
# TEXT, and a full collection
recorded() {
	least=$1 with=$2
	shift 2
	gc_start "$pid" --json --safepoints "$@" || return
	for _ in $(seq 600); do
		[ "$(grep -c -- "$with" "$gc_out")" -lt "$least" ] ||
			! grep -qE '"kind":"(full|cycle pause)"' "$gc_out" ||
			break
		sleep 0.1
	done
	kill -INT "$gc_job"
	gc_end 0
}

# probed JDK COLLECTOR: all collections and safepoints
probed() {
	gc_target "$1" "$2" -- live=6000 rate=200 full=300 dumps=50 &&
		recorded 25 '"kind"' --source uprobes && gc_truth 20 &&
		gc_has "$gc_out" '"kind":"(full|cycle pause)"' &&
		gc_has "$gc_err" 'uprobes in libjvm and the hsperfdata counters: they add up to 50 us to each pause'
}

# A record of several pauses has their sum, which the log lacks.
polled() {
	recorded 15 '"count":1,' --source counters &&
		grep '"count":1,' "$gc_out" >"$scratch/single" &&
		python3 tests/root/lib/gc_truth.py "$gc_log" "$scratch/single" \
			>"$scratch/truth" || return
	awk '$1 == "equal" && $2 * 10 >= $3 * 9 && $2 > 5 { ok = 1 }
		END { exit !ok }' "$scratch/truth" && return
	echo 'counters differ from the log:'
	cat "$scratch/truth"
	return 1
}

for jdk in $(jdks); do
	for collector in G1 Shenandoah; do
		probed "$jdk" $collector || exit 1
		[ $collector != G1 ] || polled || exit 1
		target_end "$pid"
	done
done
