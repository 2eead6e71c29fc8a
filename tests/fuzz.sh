#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/fuzz.sh SECONDS PROGRAM...
#
# Runs each fuzzer with its corpus and its old crashes, then with new inputs
# for some seconds. Inputs that break it are kept in build/fuzz. With 0
# seconds, the programs are those of tests/fuzz/replay.c, which only read
# files.
#
# tests/fuzz/times has a line for each run: the fuzzer, its CPU seconds, and a hash
# of the sources that it tests. So each run can tell how long the present code has
# been fuzzed.
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

# sources PROGRAM: a hash of the fuzzer and of the modules whose headers it includes
sources() {
	tr ' \134' '\n\n' <"$1.d" | grep -E '^[a-z_]+/.*\.[ch]$' | sort -u |
		while read -r file; do
			cat "$file"
			[ ! -f "${file%.h}.c" ] || cat "${file%.h}.c"
		done | sha256sum | cut -c1-12
}

# In the shell itself: a subshell has no children yet.
mark() {
	times >"$found/$1"
}

# spent: the CPU seconds of the processes that ended between the marks
spent() {
	awk -F '[ms ]+' 'FNR == 2 {
		s[++n] = 60 * ($1 + $3) + $2 + $4
	}
	END { printf "%d", s[2] - s[1] }' "$found/begin" "$found/end"
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
	mark begin
	fuzz "$program" -max_total_time="$seconds" -max_len=65536 \
		"$found/corpus" "tests/fuzz/corpus/$name" >"$found/failure"
	tap_result "$name: $seconds s of new inputs" "$(cat "$found/failure")"
	mark end
	hash=$(sources "$program")
	echo "$name $(spent) $hash" >>tests/fuzz/times
	awk -v name="$name" -v hash="$hash" '
		$1 == name && $3 == hash { sum += $2 }
		END { printf "# %s: %d CPU s since its sources changed\n", name, sum }
		' tests/fuzz/times
done
tap_end
