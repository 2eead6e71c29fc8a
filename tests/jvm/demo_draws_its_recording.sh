# SPDX-License-Identifier: Apache-2.0
# The script of `make demo` writes a page with the methods of the demo program.
command -v javac >/dev/null || { echo 'no JDK'; exit 77; }
sh tests/demo/run.sh "$1" "$2" >"$2/said" || { cat "$2/said"; exit 1; }
page=$(sed -n 's,^page: file://,,p' "$2/said")
[ -s "$page" ] || { echo "no page at '$page'"; exit 1; }
hottest=$(sed -n '/^five hottest/,$p' "$2/said" | grep -c ' %  ')
[ "$hottest" -eq 5 ] || { cat "$2/said"; exit 1; }
# Even if a busy machine yields few samples, they are of the clerk threads.
"$1" flame -q -o - --output-format collapsed "$2/demo.jfr" |
	grep -q 'Demo[$]Clerk[.]run' || echo 'no stack trace of the clerks' >"$2/why"
[ ! -s "$2/why" ] || { cat "$2/why"; exit 1; }
