#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/jvm.sh SJKC
#
# Runs tests/jvm/*.sh, which need a JDK: each gets the binary and a folder of
# its own, and fails by its exit status, saying why.
cd "$(dirname "$0")/.." || exit 2
. tests/tap.sh
for script in tests/jvm/*.sh; do
	name=$(basename "$script" .sh | tr _ ' ')
	scratch=$(mktemp -d)
	out=$(sh "$script" "$1" "$scratch" 2>&1)
	status=$?
	case $status in
	0) tap_result "$name" ;;
	77) tap_skip "$name" "$out" ;;
	*) tap_result "$name" "${out:-exit status $status}" ;;
	esac
	rm -rf "$scratch"
done
tap_end
