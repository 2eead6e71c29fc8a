#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/demo/prof.sh SJKC DIRECTORY
#
# Runs the demo without JVM options and samples it while it works. Needs root.
# Writes the page DIRECTORY/prof.html.
set -eu
sjkc=$1
out=$2
mkdir -p "$out"
javac -d "$out/classes" "$(dirname "$0")/Demo.java"
env --default-signal=QUIT,INT java -cp "$out/classes" Demo 20 >/dev/null 2>&1 &
demo=$!
trap 'kill $demo 2>/dev/null || :' EXIT
sleep 8
"$sjkc" prof -d 8s -e cpu,alloc,lock -o "$out/prof.html" "$demo"
