#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/fleet.sh SJKC [RECORDING...]
#
# A model of 10,000 nodes with 20 JVMs each.  Measures how many bytes a push has, on
# samples drawn from real recordings, and simulates a backend that is away for an
# hour: its peak load afterwards, and the share of requests that the bounds of the
# nodes' queues lose.  $NODES, $INTERVAL (seconds) and $SAMPLES (of a JVM in an
# interval; default: 19 Hz, 0.3 busy cores) change the model.
#
# Columns: the largest number of requests in a second, also relative to the mean;
# the most bytes in a second; the largest mean of 10 s relative to the usual mean;
# minutes until the backlogs are sent; requests lost because a queue was full, or
# because they were too old, of all requests of the simulated 160 minutes; attempts
# that the backend refused, after its absence, as it was busy.
set -u
cd "$(dirname "$0")/../.." || exit 2
shift
out=build/bench
lib=build/cc/libsjkc.a
nodes=${NODES:-10000}
interval=${INTERVAL:-30}
samples=${SAMPLES:-$((interval * 57 / 10))}
own=../shared/data/own
# A node of 20 Kafka brokers, whose profiles are larger: recordings of them have 1.9 KB
# times the number of samples to the power of 0.37.
brokers=$(awk -v n="$samples" 'BEGIN { printf "%d", 20 * 1900 * n ^ 0.37 }')
mkdir -p "$out"
make --no-print-directory "$lib" >/dev/null || exit 1
# fleet.c stands in for the clock, the kernel and the sending process.
wrapped=-Wl
for name in clock_monotonic_ns getrandom push_sender_open push_sender_close \
	push_sender_start push_sender_reply; do
	wrapped=$wrapped,--wrap=$name
done
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I. -o "$out/fleet" tests/bench/fleet.c \
	"$lib" $wrapped -lz -ldeflate -llzma -lzstd -llz4 || exit 1
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I. -o "$out/push_sizes" \
	tests/bench/push_sizes.c "$lib" -lpcre2-8 -lz -ldeflate -llzma -lzstd -llz4 -lcjson -lm ||
	exit 1

if [ $# -eq 0 ]; then
	for file in "$own"/continuous/load.pb.gz "$own"/jfr/busy17-multichunk.jfr \
		"$own"/jfr/busy25-profile.jfr "$own"/jfr/ap-busy17-cpu1ms.jfr \
		"$own"/jfr/ap-busy25-cpu1ms.jfr; do
		[ ! -e "$file" ] || set -- "$@" "$file"
	done
	[ $# -gt 0 ] || set -- tests/data/otlp/load-timestamps.pb
fi
echo "fleet: $samples samples of a JVM in $interval s"
"$out/push_sizes" "$samples" "$@" >"$out/push_sizes.txt" || exit 1
grep -v '^NODE' "$out/push_sizes.txt"
for bytes in "$(sed -n 's/^NODE //p' "$out/push_sizes.txt")" $brokers; do
	echo
	"$out/fleet" "$nodes" "$bytes" "$interval" || exit 1
done
