#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/prof.sh SJKC
#
# Measures the cost of prof and why for the observed program and for sjkc. Each
# measurement takes SECONDS_EACH (default: 220); a longer time narrows the intervals.
set -u
cd "$(dirname "$0")/../.." || exit 2
sjkc=$(realpath "$1")
scratch=$(mktemp -d)
. tests/jvm/lib/target.sh
trap 'target_end_all; rm -rf "$scratch"' EXIT

[ "$(id -u)" -eq 0 ] || { echo 'prof: skipped: not root'; exit 0; }
for jdk in $(jdks); do
	"$jdk/bin/javac" -nowarn -d "$scratch" tests/bench/Throughput.java ||
		exit 1
	echo "a program under prof ($(basename "$jdk")), load $(cut -d ' ' -f 1 /proc/loadavg):"
	python3 tests/bench/prof.py "$sjkc" "$jdk" "$scratch" \
		"${SECONDS_EACH:-220}" || exit 1
	for mode in push 'push locks'; do
		echo "under prof --push at 19 Hz${mode#push}:"
		# shellcheck disable=SC2086 # words
		python3 tests/bench/prof.py "$sjkc" "$jdk" "$scratch" \
			"${SECONDS_EACH:-220}" $mode || exit 1
	done
	echo "under why:"
	python3 tests/bench/prof.py "$sjkc" "$jdk" "$scratch" \
		"${SECONDS_EACH:-220}" why || exit 1
done
