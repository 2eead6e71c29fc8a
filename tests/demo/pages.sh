#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/demo/pages.sh SJKC DIRECTORY
#
# Runs the shop without JVM options and writes pages to DIRECTORY: prof.html, with which
# the heat map is drawn, too; gc.html; threads.html; and diff.html, of the shop before
# and after a change. Needs root.
set -eu
sjkc=$1
out=$2
. tests/demo/shop.sh
shop 150
sleep 25
"$sjkc" prof -q -d 45s -F 497 -o "$out/prof.html" "$shop"
"$sjkc" prof -q -d 8s -F 199 -o "$out/before.jfr" "$shop"
"$sjkc" gc -q -d 20s -o "$out/gc.html" "$shop" >/dev/null
for _ in $(seq 50); do
	"$sjkc" threads -q -l -o "$out/threads.html" "$shop"
	! grep -q ">BLOCKED<" "$out/threads.html" || break
done
kill "$shop"
wait "$shop" || :
shop 60 -Dslow=true
sleep 25
"$sjkc" prof -q -d 8s -F 199 -o "$out/after.jfr" "$shop"
"$sjkc" diff -q -o "$out/diff.html" "$out/before.jfr" "$out/after.jfr"
