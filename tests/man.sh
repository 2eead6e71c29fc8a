#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/man.sh SJKC MANUAL
#
# Checks that the manual describes each command and option of the binary, and
# no other. In the manual, a command is a subsection (.Ss) of COMMANDS, an
# option an item (.It Fl).
sjkc=$1
manual=$2
. "$(dirname "$0")/tap.sh"

# Prints "command --option" and "command -o" lines for the binary
options_of_binary() {
	"$sjkc" --list-options | awk -F '\t' '
		$3 == "" { print $1; next }
		{ print $1, $3; if ($2 != "") print $1, $2 }' | sort
}

# prints the same lines for the manual
options_of_manual() {
	awk '
		$1 == ".Sh" { in_commands = $2 == "COMMANDS"; command = "" }
		$1 == ".Ss" && in_commands { command = $2; print command }
		$1 == ".It" && command != "" {
			for (i = 2; i < NF; i++)
				if ($i == "Fl")
					print command, "-" $(i + 1)
		}' "$manual" | sort
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
options_of_binary >"$scratch/binary"
options_of_manual >"$scratch/manual"

tap_result 'the binary lists its options' \
	"$([ -s "$scratch/binary" ] || echo '--list-options lists nothing')"
tap_result 'the manual explains every command and option' \
	"$(comm -23 "$scratch/binary" "$scratch/manual")"
tap_result 'the manual explains nothing that is not there' \
	"$(comm -13 "$scratch/binary" "$scratch/manual")"
tap_result 'the manual explains nothing twice' "$(uniq -d "$scratch/manual")"

# Scripts depend on these.
unexplained_statuses() {
	for status in 0 1 2 3 4 5 6 7 8 9 130 141 143; do
		awk -v status="$status" '
			$1 == ".Sh" { in_exit = $2 == "EXIT" }
			in_exit && $1 == ".It" && $2 == status { found = 1 }
			END { if (!found) print "exit status " status }' \
			"$manual"
	done
}
tap_result 'the manual explains every exit status' "$(unexplained_statuses)"

if command -v mandoc >/dev/null; then
	tap_result 'mandoc has nothing to say against the manual' \
		"$(mandoc -T lint -W warning "$manual" 2>&1)"
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
