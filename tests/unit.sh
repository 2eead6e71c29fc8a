#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/unit.sh PROGRAM...
#
# Runs the unit tests, all of them whatever fails, from the top of the tree.
cd "$(dirname "$0")/.." || exit 2

# run_one PROGRAM: what it says, as TAP
run_one() {
	out=$(CMOCKA_MESSAGE_OUTPUT=TAP "$1" 2>&1)
	status=$?
	if [ $status -ne 0 ] &&
	   ! echo "$out" | grep -v '# SKIP' | grep -q '^not ok'; then
		# It broke off before it could say so.
		out="$out
not ok - $(basename "$1") ended with status $status
$(echo "$out" | tail -n 10 | sed 's/^/# /')"
	fi
	printf '# %s\n%s\n' "$1" "$out"
	return $status
}

if [ "$1" = --one ]; then
	run_one "$3" >"$2/$(basename "$3")"
	exit
fi
# Side by side, each into a file of its own; xargs fails when one of them does.
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
printf '%s\n' "$@" |
	xargs -P "$(nproc)" -I '{}' sh tests/unit.sh --one "$results" '{}'
status=$?
cat "$results"/*
exit $status
