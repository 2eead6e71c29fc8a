#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/gc.sh SJKC [SECONDS]
#
# What `sjkc gc` costs: its own CPU time with each source, and the pauses of a
# JVM by the JVM's own log, with and without probes, in turns. The median of
# short safepoints tells what a hit adds.
cd "$(dirname "$0")/../.." || exit 2
sjkc=$(realpath "$1")
seconds=${2:-5}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh
trap 'target_end_all; rm -rf "$scratch"' EXIT

# cpu_of COMMAND…: prints the CPU time of a command in ms
cpu_of() {
	sh -c '"$@" >/dev/null 2>&1; times' - "$@" | awk -F '[ms ]+' '
		NR == 2 { printf "%.0f\n", 1000 * ($2 + $4) + 60000 * ($1 + $3) }'
}

uptime_ns() {
	awk '{ printf "%.0f\n", $1 * 1e9 }' /proc/uptime
}

for jdk in $(all_jdks); do
	echo "$(basename "$jdk"):"
	gc_target "$jdk" Serial -Xmn3m -- live=2000 rate=220 || exit 1
	for source in uprobes counters; do
		# The first run reads files that later ones find in memory.
		"$sjkc" gc "$pid" 10ms --source $source >/dev/null 2>&1
		start=$(cpu_of "$sjkc" gc "$pid" 10ms --source $source)
		all=$(cpu_of "$sjkc" gc "$pid" "$seconds" --source $source)
		echo "  $source: $start ms of CPU time to start," \
			"then $((all - start)) ms in $seconds s"
	done
	target_end "$pid"
	gc_target "$jdk" Z -- live=15000 rate=400 full=75 || exit 1
	: >"$scratch/windows"
	for _ in 1 2 3 4; do
		for set in none probe; do
			observer=
			if [ $set = probe ]; then
				"$sjkc" gc "$pid" $((seconds + 1)) -q >/dev/null &
				observer=$!
				sleep 0.7
			fi
			from=$(uptime_ns)
			sleep "$seconds"
			echo "$set $from $(uptime_ns)" >>"$scratch/windows"
			[ -z "$observer" ] || wait "$observer"
		done
	done
	python3 - "$gc_log" "$scratch/windows" "$pid" <<-'END'
		import re, statistics, sys
		ticks = int(open(f"/proc/{sys.argv[3]}/stat").read()
		            .rsplit(")", 1)[1].split()[19])
		start = ticks * 10_000_000
		windows = [(s, int(a) - start, int(b) - start) for s, a, b in
		           (line.split() for line in open(sys.argv[2]))]
		totals = {}
		for m in re.finditer(r"\[(\d+)ns\].*Safepoint \"(Z\w+)\".*"
		                     r"Total: +(\d+) ns", open(sys.argv[1]).read()):
		    for s, a, b in windows:
		        if a < int(m[1]) < b:
		            totals.setdefault((m[2], s), []).append(int(m[3]))
		for (name, s), all in sorted(totals.items()):
		    print(f"  {name} {s}: {len(all)} stops, median "
		          f"{statistics.median(all) / 1000:.1f} us")
	END
	target_end "$pid"
done
