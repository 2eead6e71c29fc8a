#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/gc_pauses.sh SJKC [SECONDS [JDK [COLLECTOR]]]
#
# Observes a JVM that stops some fifty times a second, for ten minutes, and
# compares each stop with the JVM's own log: operation, time to safepoint and
# stopped time to the nanosecond, in the same order.  Prints the numbers of equal
# stops, the sums of both sides, and the losses that gc reports.
cd "$(dirname "$0")/../.." || exit 2
sjkc=$(realpath "$1")
seconds=${2:-600}
scratch=$(mktemp -d) || exit 2
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh
trap 'target_end_all; rm -rf "$scratch"' EXIT

# observed: the CPU time of gc in ms
observed() {
	sh -c '"$@"; times' - "$sjkc" gc "$pid" "$seconds" --json --safepoints \
		--source uprobes 2>"$gc_err" >"$scratch/all"
	grep '^{' "$scratch/all" >"$gc_out"
	awk -F '[ms ]+' '!/^{/ { ms = 1000 * ($2 + $4) + 60000 * ($1 + $3) }
		END { printf "%.0f\n", ms }' "$scratch/all"
}

for jdk in ${3-$(all_jdks)}; do
	collector=${4:-Serial}
	gc_target "$jdk" "$collector" -Xmn3m -XX:AsyncLogBufferSize=8m -- \
		live=2000 rate="${RATE:-150}" full=500 dumps=200 || exit 1
	echo "$(basename "$jdk"), $collector, $seconds s:"
	used=$(observed)
	target_end "$pid"
	echo "  $used ms of CPU time of sjkc gc"
	sed 's/^/  stderr: /' "$gc_err" | cut -c1-200
	python3 - "$gc_log" "$gc_out" <<-'END'
		import json, re, sys
		from collections import Counter
		# The VM thread writes the line of a pause before the line of the
		# safepoint that the pause is in.  Times do not decide that: the
		# thread may lose the CPU before it writes the second line.
		log, pauses, dropped = [], 0, 0
		for line in open(sys.argv[1], errors="replace"):
		    m = re.match(r"\[(\d+)ns\].*Safepoint \"(\w+)\".*Reaching safepoint:"
		                 r" +(\d+) ns.*Total: +(\d+) ns", line)
		    if m:
		        log.append((int(m[1]), m[2], int(m[3]), int(m[4]), pauses))
		        pauses = 0
		    elif re.match(r"\[(\d+)ns\].* Pause [A-Z].*[\d.]+ms$", line):
		        pauses += 1
		    elif "dropped due to async logging" in line:
		        dropped += 1
		records = [json.loads(line) for line in open(sys.argv[2])]
		single = [r for r in records if r["count"] == 1]
		mine = [(r["operation"], r["sync_ns"], r["stopped_ns"]) for r in single]
		keys = [s[1:4] for s in log]
		begin, end = keys.index(mine[0]), len(keys) - keys[::-1].index(mine[-1])
		window = keys[begin:end]
		stop_times = [s[0] for s in log[begin:end]]
		with_pause = sum(s[4] > 0 for s in log[begin:end])
		collections = sum(r["kind"] != "safepoint" for r in single)
		missing = sum((Counter(window) - Counter(mine)).values())
		extra = sum((Counter(mine) - Counter(window)).values())
		span = (stop_times[-1] - stop_times[0]) / 1e9
		print(f"  {len(window)} stops of the log in {span:.1f} s"
		      f" ({len(window) / span:.1f}/s), {with_pause} with a collection;"
		      f" lines dropped by the log: {dropped}")
		print(f"  {len(mine)} records, {collections} of collections;"
		      f" records of several stops: {len(records) - len(single)}")
		print(f"  {len(mine) - extra}/{len(window)} equal to the ns;"
		      f" missing {missing}, not in the log {extra},"
		      f" same order: {window == mine}")
		for name, k in (("to safepoint", 1), ("stopped", 2)):
		    print(f"  sum {name}: log {sum(s[k] for s in window)} ns,"
		          f" gc {sum(s[k] for s in mine)} ns")
	END
done
