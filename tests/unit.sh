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
	may_run_again && name=$1 || name=
	if [ $status -ne 0 ] && ! failures >/dev/null; then
		# It ended before it could print a result.
		out="$out
not ok - $(basename "$1") ended with status $status
$(echo "$out" | tail -n 10 | sed 's/^/# /')"
	fi
	printf '# %s\n%s\n' "$1" "$out"
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
	[ $status -eq 124 ] || { [ $status -lt 124 ] && failures >/dev/null &&
		! echo "$out" | grep -Eq \
		'ERROR: Addr|WARNING: Th|runtime error:|failed with exception'; }
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
