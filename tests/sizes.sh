#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Print the size of the product beside its targets: lines, functions, headers
# with few users, circles of includes, and the files that a request passes.
# The table supports discussions and fails nothing. `tests/sizes.sh all` also
# names each header with few users and each circle.
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

# c_lines DIRECTORY…: lines of C sources and headers
c_lines() {
	find "$@" -type f -name '*.[ch]' -exec cat '{}' + | wc -l
}

# includes: "FILE HEADER" for each include of a header of the project
includes() {
	find cmd core jmx_http bpf jvmti render -name '*.[ch]' -exec \
		awk '/^#[ \t]*include "/ {
			split($0, part, "\"")
			print FILENAME, part[2]
		}' '{}' +
}

# few_users: headers that at most one file includes besides their own .c
few_users() {
	find cmd core jmx_http bpf jvmti render -name '*.h' |
		awk 'NR == FNR {
			own = $2
			sub(/h$/, "c", own)
			if ($1 != own && !seen[$1, $2]++) users[$2]++
			next
		}
		users[$1] <= 1 { print $1 }' "$scratch/includes" - | sort
}

# circles: pairs of modules (x.c with x.h) that include each other
circles() {
	awk '{
		from = substr($1, 1, length($1) - 2)
		to = substr($2, 1, length($2) - 2)
		if (from == to || edge[from, to]++)
			next
		if ((to, from) in edge)
			print from < to ? from " " to : to " " from
	}' "$scratch/includes" | sort
}

# request_files: "COUNT TITLE" for each request whose life ARCHITECTURE.md
# describes: the distinct .c files in the text below its heading
request_files() {
	awk 'function flush() { if (title && count) print count, title }
	/^#/ {
		match($0, /^#+/)
		level = RLENGTH
		life = tolower($0) ~ /li[fv]es? of/
		if (life && !inside)
			inside = level
		else if (!life && inside && level <= inside) {
			flush()
			inside = 0
			title = ""
		}
		if (inside) {
			flush()
			title = substr($0, level + 2)
			count = 0
			split("", seen)
		}
		next
	}
	inside {
		line = $0
		while (match(line, /[a-zA-Z0-9_\/]+\.c([^a-z]|$)/)) {
			name = substr(line, RSTART, RLENGTH)
			sub(/\.c.*/, "", name)
			if (!seen[name]++)
				count++
			line = substr(line, RSTART + RLENGTH)
		}
	}
	END { flush() }' ARCHITECTURE.md
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
includes >"$scratch/includes"
few_users >"$scratch/few"
circles >"$scratch/circles"
echo
product='cmd core jmx_http bpf jvmti render'
# shellcheck disable=SC2086 # words
printf '%-28s %6d   %s\n' 'lines of C and headers' "$(c_lines $product)" \
	'aim 178000'
for directory in $product; do
	printf '%-28s %6d\n' "  $directory" "$(c_lines "$directory")"
done
printf '%-28s %6d   %s\n' \
	'headers with at most 1 user' "$(wc -l <"$scratch/few")" 'aim 15' \
	'circles of two modules' "$(wc -l <"$scratch/circles")" 'aim 3'
request_files | while read -r count title; do
	printf '%-28s %6d   %s\n' 'files that a request passes' "$count" \
		"aim 18: $title"
done
if [ "${1:-}" = all ]; then
	printf '\nheaders with at most 1 user\n'
	sed 's/^/  /' "$scratch/few"
	printf '\nmodules that include each other\n'
	sed 's/^/  /' "$scratch/circles"
fi
echo
echo 'longest functions'
tail -n 8 "$scratch/functions" | sort -rn |
	awk '{ printf "  %4d  %s  %s\n", $1, $2, $3 }'
echo
echo 'largest files (aim: none over 1,000)'
find cmd core jmx_http bpf jvmti render tests \
	\( -name '*.[ch]' -o -name '*.js' -o -name '*.sh' \) \
	-exec wc -l '{}' + 2>/dev/null | grep -v ' total$' | sort -rn |
	head -n 8 | awk '{ printf "  %4d  %s\n", $1, $2 }'
