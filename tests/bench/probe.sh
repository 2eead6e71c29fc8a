#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/probe.sh SJKC [SECONDS]
#
# Measures the cost of a probed call on each JDK: the median CPU time of a call
# of three methods before, while counted (at most 3 ns more), timed (at most 60
# ns), timed with arguments, and after the probes are taken back (none).  The
# columns nanoTime and atomic are the parts of a probe, as this machine has
# them: a timed call needs two of each.
set -u
cd "$(dirname "$0")/../.." || exit 2
seconds=${2:-6}
scratch=$(mktemp -d)
. tests/jvm/lib/target.sh
trap 'target_end_all; rm -rf "$scratch"' EXIT
if [ -z "$(jdks)" ]; then
	echo 'probe: no JDK'
	exit
fi
make -s build/cc/tests/jvm/lib/show_probes || exit
show=build/cc/tests/jvm/lib/show_probes

# measured NAME: prints the medians of what the program prints from now on; the
# first second, in which it is compiled again, does not count
measured() {
	sleep 2
	from=$(wc -l <"$said")
	sleep "$seconds"
	tail -n "+$((from + 1))" "$said" | sort -k1,1 -k2,2n | awk -v name="$1" '
	{ v[$1, ++n[$1]] = $2 }
	END {
		split("small thrower locked nanoTime atomic", columns)
		printf "  %-14s", name
		for (i = 1; i <= 5; i++) {
			c = columns[i]
			printf " %9.2f", v[c, int((n[c] + 1) / 2)]
		}
		print ""
	}'
}

# armed NAME OPTION…: measures while the three methods are probed
armed() {
	name=$1
	shift
	rm -f "$scratch/end"
	mkfifo "$scratch/end"
	"$show" "$pid" "$@" 'ProbedCalls::small' 'ProbedCalls::thrower' \
		'ProbedCalls::locked' arm line disarm \
		<"$scratch/end" >"$scratch/armed" 2>&1 &
	shower=$!
	exec 9>"$scratch/end"
	for _ in $(seq 1 600); do
		! grep -q '^armed' "$scratch/armed" || break
		sleep 0.1
	done
	measured "$name"
	exec 9>&-
	wait $shower
	sed -n 's/^armed \(.*\) \(.*\) \(.*\) \(.*\)/    \1 methods woven in \4 us/p' \
		"$scratch/armed"
}

echo 'probe: CPU time of a call in ns'
for jdk in $(all_jdks); do
	echo "$(basename "$jdk"):  small   thrower    locked  nanoTime    atomic"
	"$jdk/bin/javac" -nowarn -d "$scratch" tests/bench/ProbedCalls.java || exit
	said=$scratch/said
	env --default-signal=QUIT,INT "$jdk/bin/java" -Xmx64m \
		-XX:+UseSerialGC -cp "$scratch" ProbedCalls </dev/null \
		>"$said" 2>&1 &
	pid=$!
	target_pids="$target_pids $pid"
	target_wait "$said" READY || exit
	measured before
	armed counted count
	armed timed
	armed 'with arguments' args
	measured 'taken back'
	target_end "$pid"
done
