#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How long functions and files are, and how much of them is comment; beside
# what is aimed at.  A table to talk about, not a gate.
cd "$(dirname "$0")/.." || exit 2
sources=$(find cmd core jmx_http bpf jvmti render -name '*.c' 2>/dev/null |
	sort)

# function_lengths: "lines name file" of each function
function_lengths() {
	# shellcheck disable=SC2086 # file names of ours
	ctags -f - --languages=C --kinds-C=f --fields=+ne $sources |
		awk -F '\t' '{
			line = end = 0
			for (i = 4; i <= NF; i++) {
				if ($i ~ /^line:/) line = substr($i, 6)
				if ($i ~ /^end:/) end = substr($i, 5)
			}
			if (line && end) print end - line + 1, $1, $2
		}' | sort -n
}

# shellcheck disable=SC2086
comment_share() {
	awk '
		/^[ \t]*$/ { next }
		/SPDX/ { next }
		{ all++ }
		inside { comments++; if (/\*\//) inside = 0; next }
		/^[ \t]*\/\*/ { comments++; if (!/\*\//) inside = 1 }
		END { printf "%.0f", 100 * comments / all }' $sources
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
function_lengths >"$scratch/functions"
awk -v comments="$(comment_share)" '
	{ lines[NR] = $1; name = $2 " (" $3 ")"; if ($1 > 80) long++ }
	END {
		row = "%-28s %6s   %s\n"
		printf row, "functions", NR, ""
		printf row, "median function, lines", lines[int((NR + 1) / 2)],
			"aim 15"
		printf row, "95th percentile", lines[int(NR * 0.95)], "aim 45"
		printf row, "longest", lines[NR], "aim 80: " name
		printf row, "longer than 80", long + 0, "aim 0"
		printf row, "comment lines, per cent", comments, "aim 8 to 15"
	}' "$scratch/functions"
echo
echo 'longest functions'
tail -n 8 "$scratch/functions" | sort -rn |
	awk '{ printf "  %4d  %s  %s\n", $1, $2, $3 }'
echo
echo 'largest files (aim: none over 700)'
find cmd core jmx_http bpf jvmti render tests \
	\( -name '*.[ch]' -o -name '*.js' -o -name '*.sh' \) \
	-exec wc -l '{}' + 2>/dev/null | grep -v ' total$' | sort -rn |
	head -n 8 | awk '{ printf "  %4d  %s\n", $1, $2 }'
