#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/man.sh SJKC OVERVIEW DIRECTORY
#
# Checks that the manual describes each command and option of the binary, and
# no other.  OVERVIEW is sjkc.1, and DIRECTORY has a page for each command, such as
# sjkc-prof.1, where an option is an item (.It Fl), and pages of section 7.
sjkc=$1
overview=$2
directory=$3
. "$(dirname "$0")/tap.sh"

# Prints "command --option" and "command -o" lines for the binary
options_of_binary() {
	"$sjkc" --list-options | awk -F '\t' '
		$3 == "" { print $1; next }
		{ print $1, $3; if ($2 != "") print $1, $2 }' | sort
}

# options_of PAGE...: prints the same lines for pages
options_of() {
	awk '
		FNR == 1 {
			command = FILENAME
			gsub(/.*\/sjkc-|\.[0-9]$/, "", command)
			print command
		}
		$1 == ".It" {
			for (i = 2; i < NF; i++)
				if ($i == "Fl")
					print command, "-" $(i + 1)
		}' "$@" | sort
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
options_of_binary >"$scratch/binary"
options_of "$directory"/sjkc-*.1 >"$scratch/manual"

tap_result 'the binary lists its options' \
	"$([ -s "$scratch/binary" ] || echo '--list-options lists nothing')"
tap_result 'the manual explains every command and option' \
	"$(comm -23 "$scratch/binary" "$scratch/manual")"
tap_result 'the manual explains nothing that is not there' "$(
	comm -13 "$scratch/binary" "$scratch/manual"
	# The pages of section 7 are about options of several commands.
	cut -d ' ' -f 2 "$scratch/binary" | sort -u >"$scratch/names"
	options_of "$directory"/sjkc-*.7 | grep ' ' | while read -r page name; do
		grep -qxF -e "$name" "$scratch/names" || echo "$page(7) $name"
	done)"
tap_result 'the manual explains nothing twice' "$(uniq -d "$scratch/manual")"
tap_result 'pages refer to each other, and the overview to each page' "$(
	for page in "$directory"/*.[17]; do
		name=${page##*/}
		echo "${name%.*} ${name##*.}"
	done | sort >"$scratch/pages"
	xrefs='s/^\.\(It \)\{0,1\}Xr \(sjkc-[a-z0-9-]* [0-9]\).*/\2/p'
	sed -n "$xrefs" "$overview" "$directory"/* | sort -u |
		comm -23 - "$scratch/pages" | sed 's/^/no page /'
	sed -n "$xrefs" "$overview" | sort -u | comm -13 - "$scratch/pages" |
		sed 's/^/not in the overview: /')"

# Scripts depend on these.
unexplained_statuses() {
	for status in 0 1 2 3 4 5 6 7 8 9 10 11 130 141 143; do
		awk -v status="$status" '
			$1 == ".Sh" { in_exit = $2 == "EXIT" }
			in_exit && $1 == ".It" && $2 == status { found = 1 }
			END { if (!found) print "exit status " status }' \
			"$overview"
	done
}
tap_result 'the manual explains every exit status' "$(unexplained_statuses)"

tap_result 'the manual lists the combinations of options (make bless-man)' "$(
	for page in "$directory"/*.1; do
		sh "$(dirname "$0")/combinations.sh" "$sjkc" "$page" 2>/dev/null |
			diff "$page" - | sed "s,^,${page##*/} ,"
	done)"

if command -v mandoc >/dev/null; then
	tap_result 'mandoc has nothing to say against the manual' \
		"$(mandoc -T lint -W warning "$overview" "$directory"/* 2>&1)"
else
	tap_skip 'mandoc has nothing to say against the manual' 'no mandoc'
fi

# A terminal wraps longer lines, in the middle of a word.
all_help() {
	"$sjkc" help
	cut -d ' ' -f 1 "$scratch/binary" | sort -u | while read -r command; do
		"$sjkc" help "$command"
	done
}
tap_result 'help fits into 80 columns' \
	"$(all_help | LC_ALL=C.UTF-8 awk 'length($0) > 79')"

tap_end
