#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/unit.sh PROGRAM...
#
# Runs the unit tests, all of them whatever fails, from the top of the tree.
#
# Adds the path of a failed program to the file $FAILED, if that is set, once for each
# failed test, except after a sanitizer's report or a crash: time explains neither.  A
# program that timed out does not run again, either.
cd "$(dirname "$0")/.." || exit 2

# A program that takes longer hangs.
limit=300

# run_one PROGRAM: prints the program's results as TAP, and its CPU time.
run_one() {
	began=$(date +%s)
	out=$(CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 5 $limit "$1" 2>&1)
	status=$?
	took=$(($(date +%s) - began))
	may_run_again && name=$1 || name=
	if [ $status -ne 0 ] && ! failures >/dev/null; then
		# It ended before it could print a result.
		out="$out
not ok - $(basename "$1") ended with status $status
$(echo "$out" | tail -n 10 | sed 's/^/# /')"
	fi
	printf '# %s\n%s\n' "$1" "$out"
	# The second line is of children: 0m1.5s of the program, 0m0.2s of the kernel.
	times >"$results/.${1##*/}"
	awk -F '[ms ]+' -v took="$took" -v name="$1" 'NR == 2 {
		printf "# cpu %.1f s of %d s %s\n", 60 * ($1 + $3) + $2 + $4,
			took, name }' "$results/.${1##*/}"
	[ -z "$name" ] || failures | while read -r _; do
		echo "$name"
	done >>"${FAILED:-/dev/null}"
	return $status
}

# failures: the failed tests in $out.
failures() {
	echo "$out" | grep '^not ok' | grep -v '# SKIP'
}

# may_run_again: whether a slow machine may have caused the failures.  A failed test
# frees nothing, so that LeakSanitizer's report after it has no meaning.
may_run_again() {
	[ $status -lt 124 ] && failures >/dev/null &&
		! echo "$out" | grep -Eq \
		'ERROR: Addr|WARNING: Th|runtime error:|failed with exception'
}

if [ "$1" = --one ]; then
	results=$2
	run_one "$3" >"$results/${3##*/}"
	exit
fi
# Each program writes to its own file; xargs fails when one of them does.
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
printf '%s\n' "$@" |
	xargs -P "$(nproc)" -I '{}' sh tests/unit.sh --one "$results" '{}'
status=$?
cat "$results"/*
exit $status
