# SPDX-License-Identifier: Apache-2.0
# While ttop runs, its clock is set forward and back by an hour: first only the
# wall clock, as an administrator may do; then also the monotonic clock, which
# cannot happen.  Only the clock of ttop changes.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

fake=$(find /usr/lib -name libfaketime.so.1 2>/dev/null | head -n 1)
[ -n "$fake" ] || { echo 'no libfaketime'; exit 77; }
command -v node >/dev/null || { echo 'no node'; exit 77; }

set_clock() {
	echo "$1" >"$scratch/clock.new"
	mv "$scratch/clock.new" "$scratch/clock"
}

# lines COUNT: waits up to 60 s until there are COUNT reports
lines() {
	for _ in $(seq 1 600); do
		[ "$(wc -l <"$scratch/out")" -lt "$1" ] || return 0
		sleep 0.1
	done
	echo "not $1 reports"
	return 1
}

# stepped [VARIABLE=VALUE]: makes reports while the clock is set
stepped() {
	set_clock +0
	: >"$scratch/out"
	env --default-signal=TERM LD_PRELOAD="$fake" FAKETIME_NO_CACHE=1 \
		FAKETIME_TIMESTAMP_FILE="$scratch/clock" "$@" \
		"$sjkc" ttop -p "$pid" --json -ri 200ms --no-attach \
		>"$scratch/out" 2>"$scratch/err" &
	ttop=$!
	for clock in +3600 -3600 +0; do
		lines $(($(wc -l <"$scratch/out") + 2)) || break
		set_clock $clock
	done
	lines $(($(wc -l <"$scratch/out") + 2))
	kill $ttop
	wait $ttop || { echo "exit status $?"; cat "$scratch/err"; return 1; }
	node tests/jvm/lib/reports.js "$scratch/out" >"$scratch/checked" 2>&1 ||
		{ cat "$scratch/checked"; return 1; }
	[ "$(wc -l <"$scratch/checked")" -ge 8 ]
}

check() {
	target "$1" -- burners=1 || return
	stepped FAKETIME_DONT_FAKE_MONOTONIC=1 || return
	# No interval contains the hour.
	! awk '$1 >= 600 { exit 1 }' "$scratch/checked" >&2 &&
		{ echo 'an hour passed:'; cat "$scratch/checked"; return 1; }
	hours=$(sed 's/.*"time":"\([^:]*\):.*/\1/' "$scratch/out" | sort -u)
	[ "$(echo "$hours" | wc -l)" -ge 3 ] ||
		{ echo 'the clock was not set:' "$hours"; return 1; }
	stepped || return
	target_end "$pid"
}

each_jdk_in_parallel check
