#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes one template of flame.html, flame.css and js/*.js, or of another page,
# such as gc.html, gc.css and gc_js/*.js:
#
#     sh render/page/assemble.sh OUTPUT [flame|gc|threads]
#
# The JavaScript files are modules: each becomes a function of its own, in the
# order of their imports, so a name that a file does not export is private to it.
# Two forms are supported, `import { a, b } from './file.js';` and `export` before
# a declaration at the start of a line.
#
# The content security policy allows one style and one script by the hashes of
# their text, so the hashed bytes must be exactly those in the page. Comment lines
# and indentation are removed; nothing else is changed.
set -eu
LC_ALL=C
export LC_ALL

here=$(dirname "$0")
output=$1
page=${2:-flame}
case $page in
flame) scripts=$here/js ;;
*) scripts=$here/${page}_js ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the CSP source of a file: its SHA-256 in base64.
hash_source() {
	hex=$(sha256sum <"$1" | cut -c1-64)
	escaped=$(printf '%s' "$hex" | sed 's/../\\x&/g')
	printf "'sha256-%s'" "$(env printf "$escaped" | base64)"
}

strip() {
	sed -e 's/^[ 	]*//' -e '/^\/\//d' -e '/^$/d' "$@"
}

# Prints "FILE IMPORTED-FILE NAME" for each name that a module imports.
imports() {
	awk '/^import / { line = "" }
	/^import /, /;$/ {
		line = line " " $0
		if ($0 !~ /;$/)
			next
		from = line
		sub(/.* from .\.\//, "", from)
		sub(/\.js.;$/, "", from)
		gsub(/^ *import *{|}.*|,/, " ", line)
		count = split(line, names, " ")
		file = FILENAME
		sub(/.*\//, "", file)
		sub(/\.js$/, "", file)
		for (i = 1; i <= count; i++)
			print file, from, names[i]
	}' "$scripts"/*.js
}

# Prints "FILE NAME" for each name that a module exports.
exports() {
	awk '/^export / {
		sub(/^export (async )?(const|function|class)[*]? /, "")
		match($0, /^[A-Za-z_0-9]+/)
		file = FILENAME
		sub(/.*\//, "", file)
		sub(/\.js$/, "", file)
		print file, substr($0, 1, RLENGTH)
	}' "$scripts"/*.js
}

# Prints the names of the modules, each after the modules that it imports.
modules() {
	for file in "$scripts"/*.js; do
		name=$(basename "$file" .js)
		echo "$name $name"
	done | cat - "$work/imports" | awk '{ print $2, $1 }' | tsort
}

# Prints a module as a constant: an object with its exports.
module() {
	printf 'const %s = (() => {\n' "$1"
	strip "$scripts/$1.js" | awk '
		/^import / { line = ""; inside = 1 }
		inside {
			line = line $0
			if ($0 !~ /;$/)
				next
			from = line
			sub(/.* from .\.\//, "", from)
			sub(/\.js.;$/, "", from)
			sub(/^import /, "const ", line)
			sub(/ from .*/, "", line)
			print line " = " from ";"
			inside = 0
			next
		}
		{ sub(/^export /, ""); print }'
	printf 'return { %s };\n})();\n' \
		"$(awk -v file="$1" '$1 == file { print $2 }' "$work/exports" |
			paste -sd , -)"
}

imports >"$work/imports"
exports >"$work/exports"
missing=$(awk 'NR == FNR { exported[$1, $2] = 1; next }
	!(($2, $3) in exported) {
		print "assemble.sh: " $1 ".js imports " $3 ", which " $2 \
			".js does not export"
	}' "$work/exports" "$work/imports")
if [ -n "$missing" ]; then
	echo "$missing" >&2
	exit 1
fi
modules >"$work/modules"
{
	printf '(function () {\n"use strict";\n'
	while read -r name; do
		module "$name"
	done <"$work/modules"
	printf '%s_start.startPage();\n})();\n' "$page"
} >"$work/js"
strip "$here/$page.css" >"$work/css"

# A `</` anywhere in the script would end the element.
if grep -q '</' "$work/js" "$work/css"; then
	echo "assemble.sh: '</' in a script or style" >&2
	exit 1
fi

awk -v js="$work/js" -v css="$work/css" \
	-v script="$(hash_source "$work/js")" -v style="$(hash_source "$work/css")" '
function copy(file,   line) {
	while ((getline line <file) > 0)
		print line
}
function element(tag, file) {
	printf "<%s>", tag
	copy(file)
	printf "</%s>\n", tag
}
/@CSS@/ { element("style", css); next }
/@JS@/ { element("script", js); next }
{
	sub(/@SCRIPT@/, script)
	sub(/@STYLE@/, style)
	print
}' "$here/$page.html" >"$output"
