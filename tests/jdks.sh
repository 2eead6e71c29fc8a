#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	JDKS='8 25' tests/jdks.sh SJKC [SCRIPT…]
#
# Runs tests/jdks/*.sh, or the named scripts, once for each JDK; 17-musl is a JRE
# 17 for musl. A script gets the binary, a directory of its own, and the JDK's
# version; $jdk_libc is the libc, or empty. It prints its
# results with cell() of tests/jvm/lib/jdk.sh. At the end, a table has a row
# for each result and a column for each JDK. $TOOLS is the directory of the
# programs built from tests/root/lib/*.c.  For each failure, VERSION=SCRIPT is added to
# the file $FAILED, if that is set; such a SCRIPT runs on that JDK only.
cd "$(dirname "$0")/.." || exit 2
. tests/tap.sh
sjkc=$1
shift
[ $# -gt 0 ] || set -- tests/jdks/*.sh
case $1 in
*=*) JDKS=${1%%=*} && set -- "${1#*=}" ;;
esac
results=$(mktemp -d) || exit 2
trap 'rm -rf "$results"' EXIT
trap 'exit 143' TERM INT HUP

# in_library COMMAND…: runs a command after sourcing jdk.sh
in_library() {
	scratch=$results sh -c '. tests/jvm/lib/target.sh
		. tests/jvm/lib/jdk.sh; "$@"' - "$@"
}

# rows VERSION: converts a script's results to TAP and adds them to the table
rows() {
	while IFS= read -r line; do
		case $line in
		'ok - '*)
			name=${line#ok - }
			text=${name#*|} name=${name%%|*}
			tap_result "JDK $1: $name"
			[ -z "$text" ] || echo "# $text"
			;;
		'not ok - '*)
			name=${line#not ok - } text=fails
			# shellcheck disable=SC2034 # tap_end reads it
			tap_number=$((tap_number + 1)) tap_failed=1
			echo "not ok $tap_number - JDK $1: $name"
			echo "$1=$script" >>"${FAILED:-/dev/null}"
			;;
		*) echo "$line"; continue ;;
		esac
		printf '%s\t%s\t%s\n' "$name" "$1" "${text:-ok}" >>"$results/cells"
	done <"$results/out"
}

run_script() {
	mkdir "$results/scratch"
	timeout -k 10 600 sh "$1" "$sjkc" "$results/scratch" "${2%-*}" \
		>"$results/out" 2>&1 </dev/null
	status=$?
	rm -rf "$results/scratch"
	name=$(basename "$1" .sh | tr _ ' ')
	case $status in
	0) rows "$2" ;;
	77) tap_skip "JDK $2: $name" "$(cat "$results/out")" ;;
	*)
		rows "$2"
		tap_result "JDK $2: $name" "exit status $status"
		echo "$2=$1" >>"${FAILED:-/dev/null}"
		;;
	esac
}

# Prints the cells as a table in Markdown, rows in the order of their first
# result.
table() {
	awk -F '\t' '
		!($1 in seen) { seen[$1] = 1; row[++rows] = $1 }
		!($2 in has) { has[$2] = 1; column[++columns] = $2 }
		{ cell[$1, $2] = $3 }
		END {
			line = "| |"; rule = "|---|"
			for (c = 1; c <= columns; c++) {
				line = line " " column[c] " |"; rule = rule "---|"
			}
			print line; print rule
			for (r = 1; r <= rows; r++) {
				line = "| " row[r] " |"
				for (c = 1; c <= columns; c++)
					line = line " " (cell[row[r], column[c]] == "" ? \
						"-" : cell[row[r], column[c]]) " |"
				print line
			}
		}' "$results/cells"
}

: >"$results/cells"
for version in ${JDKS:-8 11 17 17-musl 21 25 newest}; do
	[ "$version" != newest ] || version=$(in_library jdk_newest)
	export jdk_libc=
	case $version in *-*) jdk_libc=${version#*-} ;; esac
	if ! why=$(in_library jdk_prepare "${version%-*}"); then
		tap_skip "JDK $version" "$why"
		continue
	fi
	for script in "$@"; do
		run_script "$script" "$version"
	done
done
table | sed 's/^/# /'
tap_end
