#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/run_test.sh
#
# Tests tests/run.sh and tests/unit.sh with programs that fail in known ways.
# shellcheck disable=SC2016 # for the programs
cd "$(dirname "$0")/.." || exit 2
. tests/tap.sh
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tests" "$scratch/build"
cp tests/run.sh tests/unit.sh "$scratch/tests/"

# Stands in for make: the only part, "unit", runs the programs or the named one.
cat >"$scratch/make" <<'END'
#!/bin/sh
for word; do
	case $word in ONLY=*) set -- "${word#ONLY=}" && exec sh tests/unit.sh "$@" ;; esac
done
exec sh tests/unit.sh build/*_test
END

# program NAME COMMANDS: $runs is how often the program ran, this run included.
program() {
	cat >"$scratch/build/$1_test" <<END
#!/bin/sh
echo >>"\$0.runs"
runs=\$(wc -l <"\$0.runs")
$2
END
	chmod +x "$scratch/build/$1_test"
}

# run_parts: prints the last output of tests/run.sh, then its exit status.
run_parts() {
	rm -f "$scratch"/build/*.runs
	(cd "$scratch" && env -u FAILED MAKE="$scratch/make" sh tests/run.sh unit)
	echo "status $?"
}

# expect NAME LINE...: a test that passes if the output has each line.
expect() {
	name=$1
	shift
	tap_result "$name" "$(for line; do
		printf '%s\n' "$out" | grep -qxF -- "$line" ||
			echo "no line: $line"
	done)"
}

chmod +x "$scratch/make"
program steady 'echo "ok 1 - a"'
program late '
echo "ok 1 - a"
[ "$runs" -gt 1 ] && echo "ok 2 - b" && exit
echo "not ok 2 - b"; exit 1'
out=$(run_parts)
expect 'failure that does not recur counts as passed and is named' \
	'1 passed only when run again, alone:' \
	'    unit: build/late_test' '3 passed, 0 failed, 0 skipped' 'status 0'

program broken 'echo "not ok 1 - c"; exit 1'
out=$(run_parts)
expect 'failure that recurs fails' \
	'unit, run again alone: build/broken_test failed' \
	'1 passed only when run again, alone:' \
	'3 passed, 1 failed, 0 skipped' 'status 1'

rm "$scratch"/build/broken_test
program overflow '
[ "$runs" -gt 1 ] && echo "ok 1 - d" && exit
echo "==1==ERROR: AddressSanitizer: heap-buffer-overflow"
echo "not ok 1 - d"; exit 1'
out=$(run_parts)
expect 'report of a sanitizer fails although it does not recur' \
	'3 passed, 1 failed, 0 skipped' 'status 1'

program overflow '
[ "$runs" -gt 1 ] && echo "ok 1 - d" && exit
echo "ok 1 - d"
echo "==1==ERROR: LeakSanitizer: detected memory leaks"; exit 1'
out=$(run_parts)
expect 'leak fails although it does not recur' \
	'4 passed, 1 failed, 0 skipped' 'status 1'

program overflow '
[ "$runs" -gt 1 ] && echo "ok 1 - d" && exit
echo "not ok 1 - d"
echo "==1==ERROR: LeakSanitizer: detected memory leaks"; exit 1'
out=$(run_parts)
expect 'leak of a failed test does not matter' \
	'4 passed, 0 failed, 0 skipped' 'status 0'

program overflow '
[ "$runs" -gt 1 ] && echo "ok 1 - d" && exit
echo "ok 1 - d"; kill -SEGV $$'
out=$(run_parts)
expect 'crash fails although it does not recur' \
	'4 passed, 1 failed, 0 skipped' 'status 1'

rm "$scratch"/build/*_test
for n in 1 2 3 4 5 6 7 8 9 10 11; do
	program "late$n" '[ "$runs" -gt 1 ] && echo "ok 1 - e" && exit
		echo "not ok 1 - e"; exit 1'
done
out=$(run_parts)
expect 'part with more than ten failures does not run again' \
	'unit: 11 failed, more than 10: none runs again' \
	'0 passed, 11 failed, 0 skipped' 'status 1'
tap_end
