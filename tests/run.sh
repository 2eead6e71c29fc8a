#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/run.sh PART[,PART]...
#
# Runs parts of the tests and counts the results; a failure stops nothing.  A part
# is a target of the Makefile, check-PART, that prints TAP.  The parts of the first
# argument run first.  Then the other arguments run side by side, the parts of each
# one after another.  The output has failures and skipped tests in the given order;
# the rest is in build/check/PART.log.
#
# A loaded machine can fail a test that waits.  Therefore a part writes a line to the
# file $FAILED for each failure: a name that its target accepts as ONLY.  At the end
# these names run again, one at a time for each part.  The last lines count and name
# those that passed only then.  A part writes no line for a failure that time cannot
# explain, such as a sanitizer's report, or of a test that timed out.
#
# The parts also print lines "# cpu SECONDS s of SECONDS s NAME"; the ten largest are
# shown.  The CPU time of each part is in build/check/cpu_seconds, and is compared with
# that in tests/cpu_seconds, a copy from an earlier run.
cd "$(dirname "$0")/.." || exit 2
mkdir -p build/check

# run_parts PART,PART: writes each exit status, time and CPU time to
# build/check/PART.done.
run_parts() {
	cpu_before=0
	for part in $(echo "$1" | tr , ' '); do
		began=$(date +%s)
		FAILED=$PWD/build/check/$part.failed \
			${MAKE:-make} --no-print-directory -s "check-$part" \
			>"build/check/$part.log" 2>&1
		status=$?
		times >"build/check/$part.times"
		# The second line is of children: 0m1.5s of programs, 0m0.2s of the
		# kernel.
		cpu=$(awk -F '[ms ]+' 'NR == 2 { print int(60 * ($1 + $3) + $2 + $4) }' \
			"build/check/$part.times")
		echo $status $(($(date +%s) - began)) $((cpu - cpu_before)) \
			>"build/check/$part.done.new"
		cpu_before=$cpu
		mv "build/check/$part.done.new" "build/check/$part.done"
	done
}

if [ "$1" = --these ]; then
	run_parts "$2"
	exit
fi

passed=0 failed=0 skipped=0 cpu_sum=0 shaky='' groups=''
# A part with more failures is broken, not slow, and does not run again.
max_again=10

# An interrupted run ends the parts that it started.
stop() {
	for group in $groups; do
		kill -TERM -- "-$group" 2>/dev/null
	done
}
trap 'stop; exit 130' INT TERM HUP

# begin PART,PART: starts a process group, with the default actions of SIGINT and
# SIGQUIT, which a shell ignores in background jobs.
begin() {
	env --default-signal=INT,QUIT setsid sh tests/run.sh --these "$1" \
		</dev/null &
	groups="$groups $!"
}

report() {
	log=build/check/$part.log
	read -r status took cpu <"build/check/$part.done"
	# The shell does not count Chromium, whose parent does not wait for it.
	tests_cpu=$(awk '/^# cpu / { sum += $3 } END { print int(sum) }' "$log")
	[ "$tests_cpu" -le "$cpu" ] || cpu=$tests_cpu
	cpu_sum=$((cpu_sum + cpu))
	echo "$part $cpu" >>build/check/cpu_seconds
	# cmocka prints "not ok 1 # SKIP name" for a skipped test.
	counts=$(awk -v status="$status" '
		/^[ \t]*(not )?ok .*# SKIP/ { skipped++; next }
		/^[ \t]*not ok / { failed++; next }
		/^[ \t]*ok / { passed++ }
		END {
			# It ended before it printed a result.
			if (status && !failed) failed = 1
			print passed + 0, failed + 0, skipped + 0
		}' "$log")
	read -r p f s <<-END
		$counts
	END
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	printf '%-10s %4d passed, %d failed, %d skipped, %d s, %d CPU s\n' \
		"$part" "$p" "$f" "$s" "$took" "$cpu"
	grep '# SKIP' "$log" | sed -E 's/^[ \t]*(not )?ok [0-9]* ?-? ?/    SKIP /'
	[ "$f" -eq 0 ] || show_failures
}

# mark_first_run: marks failures of a part that will run again.
mark_first_run() {
	if [ -s "build/check/$part.failed" ]; then
		sed 's/^    [ \t]*not ok [0-9]* *-/    failed in the first run:/'
	else
		cat
	fi
}

show_failures() {
	if grep -q '^[ \t]*not ok ' "$log"; then
		awk '
			/^[ \t]*(not )?ok / {
				show = /^[ \t]*not ok/ && !/# SKIP/
			}
			show { print "    " $0 }' "$log" | mark_first_run | head -n 60
	else
		tail -n 20 "$log" | sed 's/^/    /'
	fi
}

# await_parts GROUP PART,PART: reports each as soon as it is over.
await_parts() {
	for part in $(echo "$2" | tr , ' '); do
		while [ ! -e "build/check/$part.done" ] && runs "$1"; do
			sleep 0.5
		done
		[ -e "build/check/$part.done" ] ||
			echo 1 0 0 >"build/check/$part.done"
		report
	done
}

runs() {
	grep -qs '^State:[[:space:]]*[^XZ]' "/proc/$1/status"
}

# slowest: the tests that took the most CPU time.  All of them, with their duration,
# are in build/check/times.  The scripts of live JVMs begin in the order of
# build/check/durations in the next run (tests/jvm.sh).
slowest() {
	awk '/^# cpu / { printf "    %6.1f s of %4d s  %s\n", $3, $6, $8 }' \
		build/check/*.log 2>/dev/null | sort -k 1 -rn >build/check/times
	awk '$5 ~ /^tests\/(jvm|root)\// { print $4, $5 }' build/check/times \
		>build/check/durations
	head -n 10 build/check/times
}

# compare_cpu: warns about each part that takes a tenth more CPU time, and 5 s, than
# tests/cpu_seconds says of the same processor.
compare_cpu() {
	[ -z "${EVERY_JDK-}" ] && [ -e tests/cpu_seconds ] || return 0
	awk 'NR == FNR && /^#/ { processor = $0 }
		NR == FNR { usual[$1] = $2; next }
		/^#/ && $0 == processor { next }
		/^#/ { exit }
		$1 in usual && $2 > usual[$1] * 1.1 && $2 > usual[$1] + 5 {
			print "warning: " $1 " took " $2 " CPU s, usually " \
				usual[$1] " (tests/cpu_seconds); see build/check/times"
		}' tests/cpu_seconds build/check/cpu_seconds
}

# list_failures: the names of all failures of the first run, which were shown with their
# reasons far above.
list_failures() {
	echo 'failed in the first run:'
	grep -H '^[ \t]*not ok ' build/check/*.log | grep -v -e '# SKIP' \
		-e '\.again\.log:' |
		sed -E 's|^build/check/(.*)\.log:[ \t]*not ok [0-9]* ?-?|    \1:|' |
		head -n 30
}

# run_again PART: runs each failed name alone, and writes to build/check/PART.fixed
# the names that pass.
run_again() {
	sort -u "build/check/$1.failed" | while read -r name; do
		again=build/check/$1.again.log
		if env --default-signal=INT,QUIT JOBS=1 "${MAKE:-make}" \
			--no-print-directory -s "check-$1" ONLY="$name" \
			</dev/null >"$again" 2>&1; then
			echo "$name" >>"build/check/$1.fixed"
		else
			echo "$1, run again alone: $name failed"
			awk '/^[ \t]*(not )?ok / { show = /^[ \t]*not/ }
				show { print "    " $0 }' "$again"
		fi
	done >"build/check/$1.again"
}

# run_failed_again: the parts side by side.  If a test passes, its failures count as
# passed.
run_failed_again() {
	running=
	for list in build/check/*.failed; do
		[ -s "$list" ] || continue
		part=$(basename "$list" .failed)
		count=$(sort -u "$list" | wc -l)
		if [ "$count" -gt $max_again ]; then
			echo "$part: $count failed, more than $max_again: none runs again"
			continue
		fi
		run_again "$part" &
		running="$running $part:$!"
	done
	for one in $running; do
		part=${one%:*}
		wait "${one#*:}"
		cat "build/check/$part.again"
		[ -e "build/check/$part.fixed" ] || continue
		while read -r name; do
			fixed=$(grep -cxF -- "$name" "build/check/$part.failed")
			failed=$((failed - fixed)) passed=$((passed + fixed))
			shaky="$shaky    $part: $name
"
		done <"build/check/$part.fixed"
	done
}

rm -f build/check/*.failed build/check/*.fixed build/check/*.log
sed -n '/^model name/ { s/.*: /# /p; q }' /proc/cpuinfo >build/check/cpu_seconds
for parts in "$@"; do
	for part in $(echo "$parts" | tr , ' '); do
		rm -f "build/check/$part.done"
	done
done
begin "$1"
await_parts $! "$1"
shift
beside=
for parts in "$@"; do
	begin "$parts"
	beside="$beside $!:$parts"
done
for one in $beside; do
	await_parts "${one%%:*}" "${one#*:}"
done
run_failed_again
scripts=$(slowest)
[ -z "$scripts" ] || printf 'most CPU time:\n%s\n' "$scripts"
echo "$cpu_sum CPU s in all"
compare_cpu
[ -z "$shaky" ] ||
	printf '%d passed only when run again, alone:\n%s' \
		"$(printf %s "$shaky" | wc -l)" "$shaky"
[ "$failed" -eq 0 ] || list_failures
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
