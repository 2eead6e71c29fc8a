#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/readers.sh SJKC
#
# Measures the CPU time of reading large files of each exchange format, as
# `flame --list-events`, beside the aims.  The sizes are those of uncompressed
# files.
set -u
cd "$(dirname "$0")/../.." || exit 2
sjkc=$1
out=build/bench
lib=build/cc/libsjkc.a
rounds=${ROUNDS:-3}
megabytes=${MEGABYTES:-100}
mkdir -p "$out"
make --no-print-directory "$lib" >/dev/null || exit 1
for tool in measure make_dumps make_collapsed; do
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -I . -o "$out/$tool" \
		"tests/bench/$tool.c" tests/bench/workload.c "$lib" -lz -ldeflate -llzma -lzstd -llz4 ||
		exit 1
done

# repeat FILE OUTPUT: repeats a file up to the size
repeat() {
	[ -e "$2" ] && return
	size=$(wc -c <"$1")
	while [ "$size" -lt 4000000 ]; do
		cat "$1"
		size=$((size + $(wc -c <"$1")))
	done >"$2.part"
	for _ in $(seq $((megabytes * 1000000 / $(wc -c <"$2.part") + 1))); do
		cat "$2.part"
	done >"$2.whole"
	rm "$2.part"
	mv "$2.whole" "$2"
}

# row NAME FILE SIZE AIM
row() {
	"$out/measure" "$rounds" "$sjkc flame -q --list-events $2" |
		awk -v name="$1" -v size="$3" -v aim="$4" '
		$1 == "failed" { printf "  %-22s failed\n", name; next }
		{
			printf "  %-22s %8.1f MB %8.3f CPU s %7.0f MB/s %7.0f MiB   aim: %s\n",
				name, size / 1e6, $1, size / 1e6 / $1,
				$2 / 1024, aim
		}'
}

# unzipped FILE: prints the size without compression
unzipped() {
	case $1 in
	*.gz) gzip -dc "$1" | wc -c ;;
	*) wc -c <"$1" ;;
	esac
}

[ -e "$out/big.nps" ] || "$out/make_dumps" nps "$out/big.nps" >"$out/nps.size"
[ -e "$out/big.std" ] || "$out/make_dumps" std "$out/big.std" >"$out/std.size"
repeat tests/data/perf/jdk17-sjkc-perfmap.txt "$out/big.perf"
repeat tests/data/dumps/jstack-jdk25.txt "$out/big.jstack"
source=$out/million.collapsed
[ -s "$source" ] || "$out/make_collapsed" nodes 1000000 >"$source"
for ext in pb.gz otlp json json.gz html jfr; do
	[ -e "$out/read.$ext" ] ||
		"$sjkc" flame -q --lines -o "$out/read.$ext" "$source"
done

echo "readers, medians of $rounds runs:"
row 'VisualVM .nps' "$out/big.nps" "$(cat "$out/nps.size")" '1 CPU s for 143 MB'
row 'SJK .std, 100,000' "$out/big.std" "$(cat "$out/std.size")" '0.15 CPU s'
row 'perf script' "$out/big.perf" "$(unzipped "$out/big.perf")" '250 MB/s'
row 'thread dumps' "$out/big.jstack" "$(unzipped "$out/big.jstack")" '300 MB/s'
for ext in pb.gz otlp json json.gz html jfr; do
	row "$ext" "$out/read.$ext" "$(unzipped "$out/read.$ext")" none
done
