#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/combinations.sh SJKC PAGE
#
# Prints the manual page of a command, such as docs/man/sjkc-prof.1, with the
# combinations of options that `sjkc COMMAND --help-all` describes: "(not with
# --a, --b)" and "(requires --a or --b)".  They are the last part of OPTIONS.
command=${2##*/sjkc-}
list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
"$1" "${command%.1}" --help-all | awk '
	# Prints the relations in the lines of one option, and forgets the lines.
	function relations(    at, words, n, i, end) {
		while (match(text, /\((not with|requires) [^)]*\)/)) {
			at = substr(text, RSTART + 1, RLENGTH - 2)
			text = substr(text, RSTART + RLENGTH)
			print ".It\n.Fl -" name
			print at ~ /^not/ ? "cannot be used with" : "requires"
			n = split(at, words, /,? +/)
			for (i = 2; i <= n; i++) {
				end = i < n && words[i + 1] != "or" ? " ," : ""
				if (sub(/^--/, "", words[i]))
					print ".Fl -" words[i] end
				else if (words[i] == "or")
					print "or"
			}
		}
		text = ""
	}
	/^  (-|    -)/ {
		relations()
		match($0, /--[a-z0-9-]+/)
		name = substr($0, RSTART + 2, RLENGTH - 2)
	}
	/^        / { text = text " " $0 }
	!/^ / { relations() }' >"$list" || exit 1
awk -v list="$list" '
	$0 == ".Ss Combinations of options" { in_list = 1; next }
	$1 == ".Sh" {
		if (in_options && (getline line <list) > 0) {
			print ".Ss Combinations of options\n.Bl -bullet -compact"
			do
				print line
			while ((getline line <list) > 0)
			print ".El"
		}
		in_list = 0
		in_options = $2 == "OPTIONS"
	}
	!in_list' "$2"
