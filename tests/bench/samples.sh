#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/samples.sh SJKC
#
# Measures the cost of a thread sample for sjkc, with programs of many sleeping
# threads and a JVM of 1,000 threads.  Then measures its cost for the JVM.
set -u
cd "$(dirname "$0")/../.." || exit 2
scratch=$(mktemp -d)
out=build/bench
show=build/cc/tests/jvm/lib/show_samples
mkdir -p "$out"
. tests/jvm/lib/target.sh
resting=
trap 'target_end_all; [ -z "$resting" ] || kill "$resting"; rm -rf "$scratch"' EXIT
make --no-print-directory "$show" >/dev/null || exit 1
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -o "$out/many_threads" \
	tests/bench/many_threads.c -lpthread || exit 1

# repeat COUNT ACTION…: repeats the actions
repeat() {
	count=$1
	shift
	for _ in $(seq 1 "$count"); do
		echo "$@"
	done
}

# cost TICKS: CPU per tick and maximum memory, from the output of show_samples
cost() {
	awk -v ticks="$1" '/^times/ {
		for (i = 2; i <= NF; i++) {
			split($i, f, "=")
			v[f[1], n + 0] = f[2]
		}
		n++
	}
	END {
		printf "first %8.2f ms, then %7.2f ms a sample; %5.1f MB resident\n",
			v["cpu_us", 0] / 1e3,
			(v["cpu_us", 1] - v["cpu_us", 0]) / ticks / 1e3,
			v["rss_kb", 1] / 1024
	}'
}

echo 'samples of sleeping threads, CPU (10,000 threads: at most 60 ms a sample):'
for threads in 1000 10000 20000; do
	"$out/many_threads" $threads 120 >"$scratch/said" &
	resting=$!
	target_wait "$scratch/said" READY || exit 1
	printf '  %6d threads: ' "$threads"
	# shellcheck disable=SC2046 # words
	"$show" "$resting" no-attach quiet times \
		$(repeat 10 sleep=100 quiet) times | cost 10
	kill "$resting"
	wait "$resting" 2>/dev/null
	resting=
done

# used FILE: prints the CPU time of the JVM between the first and the last
# sample
used() {
	sed -n 's/^process cpu=\([0-9]*\).*/\1/p' "$1" | awk '
		NR == 1 { from = $1 }
		{ to = $1 }
		END { printf "%.1f ms", (to - from) / 1e6 }'
}

for jdk in $(jdks); do
	target_memory='-Xmx256m' target "$jdk" -- threads=1000 || exit 1
	printf '%s, 1,000 threads, a sample per second:\n  ' \
		"$(basename "$jdk")"
	sleep 5 # it compiles
	"$show" "$pid" no-attach sample sleep=20000 sample >"$scratch/alone"
	# shellcheck disable=SC2046 # words
	"$show" "$pid" names=Thread.print times sleep=1000 sample \
		$(repeat 20 sleep=1000 quiet) sample times >"$scratch/watched"
	cost 22 <"$scratch/watched"
	sed '1,/^times/d' "$scratch/watched" >"$scratch/after"
	echo "  the JVM used $(used "$scratch/alone") in 20 s alone," \
		"$(used "$scratch/after") in 20 s of samples"
	target_end "$pid"
done
