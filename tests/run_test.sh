#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/run_test.sh
#
# Tests tests/run.sh, tests/unit.sh and tests/jvm.sh with programs that fail in known
# ways, and how tests wait (tests/jvm/lib/await.pl).
# shellcheck disable=SC2016 # for the programs
cd "$(dirname "$0")/.." || exit 2
. tests/tap.sh
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/tests/jvm/lib" "$scratch/build"
cp tests/run.sh tests/unit.sh tests/jvm.sh tests/tap.sh "$scratch/tests/"
cp tests/jvm/lib/jdks.sh "$scratch/tests/jvm/lib/"

# Stands in for make: the part "unit" runs the programs, "jvm" the scripts, or each
# the named one.
cat >"$scratch/make" <<'END'
#!/bin/sh
only=
for word; do
	case $word in
	ONLY=*) only=${word#ONLY=} ;;
	check-*) part=${word#check-} ;;
	esac
done
case $part in
unit) exec sh tests/unit.sh ${only:-build/*_test} ;;
jvm) exec sh tests/jvm.sh none ${only:-tests/jvm/*.sh} ;;
esac
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

# run_parts [PART]...: prints the output of tests/run.sh, then its exit status.
run_parts() {
	rm -f "$scratch"/build/*.runs
	(cd "$scratch" && env -u FAILED -u EVERY_JDK MAKE="$scratch/make" \
		sh tests/run.sh "${@:-unit}")
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
program late 'sleep 5; echo "not ok 1 - b"; exit 1'
sed -i 's/^limit=.*/limit=1/' "$scratch/tests/unit.sh"
out=$(run_parts)
expect 'program that timed out does not run again' \
	'1 passed, 1 failed, 0 skipped' 'status 1' \
	'failed in the first run:' '    unit: late_test ended with status 124'
tap_result 'program that timed out runs once' \
	"$(wc -l <"$scratch/build/late_test.runs" | grep -vx 1)"
cp tests/unit.sh "$scratch/tests/"
program late '
echo "ok 1 - a"
[ "$runs" -gt 1 ] && echo "ok 2 - b" && exit
echo "not ok 2 - b"; exit 1'

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

rm "$scratch"/build/*_test
program steady 'echo "ok 1 - a"'
echo 'echo >>build/jvm.runs; echo "timed out after 60 s"; exit 1' \
	>"$scratch/tests/jvm/waits.sh"
out=$(run_parts unit jvm)
expect 'script that timed out is final' '1 passed, 1 failed, 0 skipped' 'status 1'
tap_result 'script that timed out does not run again' \
	"$(wc -l <"$scratch/build/jvm.runs" | grep -vx 1)"

# meets NAME OTHER: waits, in the second run, until the other test runs again.
meets='
meets() {
	echo >>"build/$1.met"
	[ "$(wc -l <"build/$1.met")" -eq 2 ] || return 1
	for _ in $(seq 1 100); do
		[ "$(wc -l <"build/$2.met")" -lt 2 ] || return 0
		sleep 0.1
	done
	return 1
}'
program meets "$meets
meets unit jvm && echo 'ok 1 - f' || { echo 'not ok 1 - f'; exit 1; }"
echo "$meets
meets jvm unit" >"$scratch/tests/jvm/waits.sh"
out=$(run_parts unit jvm)
expect 'failures of two parts run again side by side' \
	'2 passed only when run again, alone:' '    unit: build/meets_test' \
	'    jvm: tests/jvm/waits.sh' '3 passed, 0 failed, 0 skipped' 'status 0'

rm "$scratch"/build/*_test "$scratch/tests/jvm/waits.sh"
program busy 'echo "# cpu 6.2 s of 1 s it"
echo "ok 1 - g"'
out=$(run_parts)
tap_result 'CPU time of processes for which nobody waits counts' \
	"$(grep -vx -e 'unit 6' -e '#.*' "$scratch/build/check/cpu_seconds")"
sed 's/^unit.*/unit 0/' "$scratch/build/check/cpu_seconds" \
	>"$scratch/tests/cpu_seconds"
out=$(run_parts)
expect 'part that takes a tenth more CPU time is a warning' \
	"warning: unit took 6 CPU s, usually 0 (tests/cpu_seconds); see$(
		) build/check/times" '1 passed, 0 failed, 0 skipped' 'status 0'
sed -i 's/^unit.*/unit 2/' "$scratch/tests/cpu_seconds"
tap_result 'part that takes less is not' "$(run_parts | grep warning)"
sed -i 's/^unit.*/unit 0/; s/^#.*/# another/' "$scratch/tests/cpu_seconds"
tap_result 'CPU time of another processor is not compared' \
	"$(run_parts | grep warning)"

# awaits ARGUMENT...: prints the output of await.pl, or that it took too long.
awaits() {
	AWAIT_LIMIT=60 timeout 10 perl tests/jvm/lib/await.pl "$@" 2>&1
	[ $? -ne 124 ] || echo 'it took 10 s'
}
said=$scratch/said
gone="the process that writes $said has exited"
sleep 0.3 >"$said" &
tap_result 'await.pl fails as soon as a given process has exited' \
	"$(awaits line READY "$said" $! | grep -vxF "$gone")"
sleep 2 >"$said" &
tap_result 'await.pl fails as soon as the writer of the file has exited' \
	"$(awaits line READY "$said" | grep -vxF "$gone")"
sh -c 'sleep 0.3; echo READY' >"$said" &
tap_result 'await.pl finds the last line of a process that has exited' \
	"$(awaits line READY "$said" $!)"
tap_result 'await.pl stops waiting at its limit' "$(AWAIT_LIMIT=0.2 \
	perl tests/jvm/lib/await.pl line READY "$said.none" |
	grep -v '^timed out after')"
tap_end
