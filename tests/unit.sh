#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/unit.sh PROGRAM...
#
# Runs the unit tests, all of them whatever fails, from the top of the tree.
#
# Adds the path of a failed program to the file $FAILED, if that is set, once for each
# failed test, except after a sanitizer's report or a crash: time explains neither.
cd "$(dirname "$0")/.." || exit 2

# A program that takes longer hangs; the slowest takes a minute.
limit=600

# run_one PROGRAM: prints the program's results as TAP.
run_one() {
	out=$(CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 5 $limit "$1" 2>&1)
	status=$?
	if [ $status -ne 0 ] &&
	   ! echo "$out" | grep -v '# SKIP' | grep -q '^not ok'; then
		# It ended before it could print a result.
		out="$out
not ok - $(basename "$1") ended with status $status
$(echo "$out" | tail -n 10 | sed 's/^/# /')"
	fi
	printf '# %s\n%s\n' "$1" "$out"
	if [ $status -ne 0 ] && [ -n "${FAILED-}" ] && may_run_again; then
		echo "$out" | grep -v '# SKIP' | grep '^not ok' |
			while read -r _; do echo "$1"; done >>"$FAILED"
	fi
	return $status
}

# may_run_again: whether a slow machine may have caused the failure in $out.
may_run_again() {
	! echo "$out" | grep -Eq 'Sanitizer|runtime error:|failed with exception' &&
		[ $status -le 124 ]
}

if [ "$1" = --one ]; then
	run_one "$3" >"$2/$(basename "$3")"
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
