#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/unit.sh PROGRAM...
#
# Runs the unit tests, all of them whatever fails, from the top of the tree.
cd "$(dirname "$0")/.." || exit 2
failed=0
for program in "$@"; do
	echo "# $program"
	out=$(CMOCKA_MESSAGE_OUTPUT=TAP "$program" 2>&1)
	status=$?
	echo "$out"
	[ $status -eq 0 ] && continue
	failed=1
	# One that broke off has not said so.
	echo "$out" | grep -v '# SKIP' | grep -q '^not ok' && continue
	echo "not ok - $(basename "$program") ended with status $status"
	echo "$out" | tail -n 10 | sed 's/^/# /'
done
exit $failed
