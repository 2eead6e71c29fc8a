#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/fuzz.sh SECONDS PROGRAM...
#
# Runs each fuzzer with its corpus and its old crashes, then with new inputs
# for some seconds. Inputs that break it are kept in build/fuzz. With 0
# seconds, the programs are those of tests/fuzz/replay.c, which only read
# files.
cd "$(dirname "$0")/.." || exit 2
. tests/tap.sh
seconds=$1
shift

# fuzz PROGRAM ARGUMENTS...: prints the output only if the fuzzer fails
fuzz() {
	program=$1
	shift
	"$program" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$found/" \
		"$@" >"$found/log" 2>&1 || tail -n 40 "$found/log"
}

for program in "$@"; do
	name=$(basename "$program" | sed 's/^fuzz_//')
	found=build/fuzz/$name
	mkdir -p "$found/corpus"
	known=$(find "tests/fuzz/corpus/$name" "tests/fuzz/crashes/$name" \
		-type f 2>/dev/null)
	if [ -z "$known" ]; then
		tap_result "$name: has a corpus" "tests/fuzz/corpus/$name"
		continue
	fi
	if [ "$seconds" -eq 0 ]; then
		# shellcheck disable=SC2086 # file names of ours
		tap_result "$name: corpus and old crashes" "$("$program" \
			$known >"$found/log" 2>&1 || tail -n 40 "$found/log")"
		continue
	fi
	# shellcheck disable=SC2086 # file names of ours
	tap_result "$name: corpus and old crashes" "$(fuzz "$program" $known)"
	tap_result "$name: $seconds s of new inputs" "$(fuzz "$program" \
		-max_total_time="$seconds" -max_len=65536 "$found/corpus" \
		"tests/fuzz/corpus/$name")"
done
tap_end
