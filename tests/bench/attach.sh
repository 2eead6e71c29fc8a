#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/attach.sh SJKC [ROUNDS]
#
# Measures an attach with a thread dump of 1,000 threads, including the JVM's
# part, beside jattach if that is installed: medians of interleaved runs.  Then
# measures the pause of a thread dump, from the JVM's log, beside the JDK's
# jcmd.
set -u
cd "$(dirname "$0")/../.." || exit 2
sjkc=$(realpath "$1")
rounds=${2:-21}
scratch=$(mktemp -d)
out=build/bench
mkdir -p "$out"
. tests/jvm/lib/target.sh
trap 'target_end_all; rm -rf "$scratch"' EXIT
if [ -z "$(jdks)" ]; then
	echo 'attach: no JDK'
	exit
fi
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -o "$out/measure_target" \
	tests/bench/measure_target.c

# cost JDK: prints the medians of interleaved runs of both tools
cost() {
	target "$1" -- threads=1000
	set -- "exec $sjkc jstack $pid"
	command -v jattach >/dev/null && set -- "$@" "exec jattach $pid threaddump"
	"$sjkc" jstack "$pid" >/dev/null
	"$out/measure_target" "$rounds" "$pid" "$@" |
		awk -v rounds="$rounds" '
		NR == 1 { split($0, ours) }
		NR == 2 { split($0, peer) }
		function row(name, of) {
			printf "  %-10s %6.2f %6.2f %6.2f %6.2f\n", name, \
				of[1], of[2], of[3], of[4]
		}
		END {
			print "  ms         client target   both   wall"
			row("sjkc", ours)
			if (NR < 2 || peer[1] == "failed") exit
			row("jattach", peer)
			printf "  ratio      %6.2f %6.2f %6.2f %6.2f " \
				"(both: at most 1.05)\n", ours[1] / peer[1], \
				ours[2] / peer[2], ours[3] / peer[3], \
				ours[4] / peer[4]
		}'
	target_end "$pid"
}

# Prints the pause of the last thread dump in the JVM's log, in milliseconds.
last_pause() {
	sed -n 's/.*"PrintThreads".* Total: *\([0-9]*\) ns.*/\1/p' \
		"$scratch/safepoints" | tail -n 1 | awk '{ print $1 / 1e6 }'
}

median() {
	sort -n | awk '{ v[NR] = $1 } END { printf "%.2f", v[int((NR + 1) / 2)] }'
}

# pauses JDK THREADS: prints the median pauses of a JVM with THREADS threads
pauses() {
	: >"$scratch/safepoints"
	target "$1" -Xlog:safepoint:file="$scratch/safepoints" -- "threads=$2"
	: >"$scratch/ours"
	: >"$scratch/jcmd"
	for _ in $(seq "$rounds"); do
		"$sjkc" jstack -e "$pid" >/dev/null
		last_pause >>"$scratch/ours"
		"$1/bin/jcmd" "$pid" Thread.print -e >/dev/null
		last_pause >>"$scratch/jcmd"
	done
	printf '  %4d threads: sjkc %s ms, jcmd Thread.print %s ms\n' "$2" \
		"$(median <"$scratch/ours")" "$(median <"$scratch/jcmd")"
	target_end "$pid"
}

for jdk in $(jdks); do
	echo "attach and thread dump, 1,000 threads, $(basename "$jdk"), median of $rounds:"
	cost "$jdk"
	echo "pause of the JVM for a thread dump, median of $rounds:"
	for threads in 50 1000; do
		pauses "$jdk" $threads
	done
done
