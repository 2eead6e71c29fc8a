# SPDX-License-Identifier: Apache-2.0
# make demo's script: the page is there, and the methods are the program's own.
command -v javac >/dev/null || { echo 'no JDK'; exit 77; }
sh tests/demo/run.sh "$1" "$2" >"$2/said" || { cat "$2/said"; exit 1; }
page=$(sed -n 's,^the page: file://,,p' "$2/said")
[ -s "$page" ] || { echo "no page at '$page'"; exit 1; }
hottest=$(sed -n '/^the five hottest/,$p' "$2/said" | grep -c ' %  ')
[ "$hottest" -eq 5 ] || { cat "$2/said"; exit 1; }
# The clerks' own work is a large part of what this program does.
grep -q 'Demo' "$2/said" || { cat "$2/said"; exit 1; }
