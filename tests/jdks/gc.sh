# SPDX-License-Identifier: Apache-2.0
# Pauses of each collector against the JVM's own log: stopped time, time to
# safepoint and operation to the nanosecond, the collector's time within 50 us.
# A cell has stops equal/all, collector times within 50 us/all and the worst
# error.  JDK 8 and 11, and the JRE for musl, have no exact probe: gc uses perf
# data and prints why.
# --log requires JDK 11.
sjkc=$1
scratch=$2
version=$3
. tests/jvm/lib/target.sh
. tests/jvm/lib/jdk.sh
. tests/root/lib/gc.sh

# recorded: runs gc until it has recorded 200 stops, or for one minute, so that
# all collectors fit into the time of a script
recorded() {
	gc_start "$pid" --json --safepoints --no-heap-uprobe --source uprobes ||
		return
	for _ in $(seq 600); do
		[ "$(wc -l <"$gc_out")" -lt 200 ] || break
		sleep 0.1
	done
	kill -INT "$gc_job"
	gc_end 0
}

# measure COLLECTOR: at least a hundred stops
measure() {
	gc_out=$scratch/gc.out
	case $1 in
	Z) target_memory='-XX:+UseZGC -Xms160m -Xmx160m' ;;
	*) target_memory="-XX:+Use$1GC -Xms64m -Xmx64m" ;;
	esac
	rm -f "$gc_log"
	jdk_target "$version" -Xlog:async \
		"-Xlog:gc,gc+phases,safepoint:file=$gc_log:un:filecount=0" \
		-- live=6000 rate=200 full=300 dumps=60 && recorded
	measured=$?
	target_end "$pid"
	[ $measured -eq 0 ] && gc_truth 100 && awk '
		$1 == "stopped" { stops = $2 "/" $3 }
		$1 == "gc" { gc = $2 "/" $3 ", worst " $4 " us" }
		END { print "| " stops ", GC " gc }' "$scratch/truth"
}

# logged: JDK 11 writes a log, and JDK 8 is refused by name
logged() {
	if [ "$version" = 8 ]; then
		gc 8 "$pid" 1s --log && gc_has "$gc_err" 'this is JDK 8'
		return
	fi
	gc 0 "$pid" 4s --log --json && gc_has "$gc_out" '"stopped_ns":[0-9]'
}

# Before JDK 17, only the counters tell.
polled() {
	target_memory="-XX:+Use$1GC -Xms64m -Xmx64m"
	jdk_target "$version" -- live=6000 rate=200 full=300 &&
		gc 0 "$pid" 4s &&
		gc_has "$gc_err" 'no uprobes: .*; trying counters' &&
		gc_has "$gc_out" ' (young|full|[0-9]+ pauses) ' && logged
	measured=$?
	target_end "$pid"
	[ $measured -eq 0 ] && echo '| counters'
}

for collector in Serial Parallel G1 Z Shenandoah; do
	case $version-$collector-${jdk_libc:-} in
	8-Z-* | 8-Shenandoah-* | 11-Z-* | 11-Shenandoah-*) continue ;;
	*-Z-musl | *-Shenandoah-musl) continue ;;
	8-* | 11-* | *-musl) cell "gc: $collector" polled $collector ;;
	*) cell "gc: $collector" measure $collector ;;
	esac
done
