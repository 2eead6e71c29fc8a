#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/prof.sh SJKC
#
# What prof costs: a program that is sampled, and us.  With each JDK it takes
# SECONDS_EACH, 220 unless it is set: the more, the narrower the intervals.
set -u
cd "$(dirname "$0")/../.." || exit 2
sjkc=$(realpath "$1")
scratch=$(mktemp -d)
. tests/jvm/lib/target.sh
trap 'target_end_all; rm -rf "$scratch"' EXIT

[ "$(id -u)" -eq 0 ] || { echo 'prof: not root: left out'; exit 0; }
for jdk in $(jdks); do
	"$jdk/bin/javac" -nowarn -d "$scratch" tests/bench/Throughput.java ||
		exit 1
	echo "a program under prof ($(basename "$jdk")), load $(cut -d ' ' -f 1 /proc/loadavg):"
	python3 tests/bench/prof.py "$sjkc" "$jdk" "$scratch" \
		"${SECONDS_EACH:-220}" || exit 1
done
