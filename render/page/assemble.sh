#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes one template of head.inc, flame.html, flame.css and js/*.js, or of another
# page, such as gc.html, gc.css and gc_js/*.js:
#
#     sh render/page/assemble.sh OUTPUT [flame|gc|threads]
#
# The JavaScript files are modules: each becomes a function of its own, in the
# order of their imports, so a name that a file does not export is private to it.
# Two forms are supported, `import { a, b } from './file.js';` and `export` before
# a declaration at the start of a line.
#
# A directory of js, such as js/heat, is a part: a script that only some pages have
# (template.c). A part imports modules of its own and of js, and comes before the
# script of js, which passes the exports of its main module, flame_heat, to
# startPage().
#
# The content security policy allows one style and the scripts by the hashes of
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

# Prints "FILE IMPORTED-FILE NAME" for each name that a module of files imports.
imports() {
	awk '/^import / { line = "" }
	/^import /, /;$/ {
		line = line " " $0
		if ($0 !~ /;$/)
			next
		from = line
		sub(/.* from .\.+\//, "", from)
		sub(/\.js.;$/, "", from)
		gsub(/^ *import *{|}.*|,/, " ", line)
		count = split(line, names, " ")
		file = FILENAME
		sub(/.*\//, "", file)
		sub(/\.js$/, "", file)
		for (i = 1; i <= count; i++)
			print file, from, names[i]
	}' "$@"
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
	}' "$@"
}

names() {
	for file in "$1"/*.js; do
		basename "$file" .js
	done
}

# Prints the names of a directory's modules, each after those that it imports.
modules() {
	names "$1" >"$work/names"
	imports "$1"/*.js | cat - "$work/names" | awk '
		NR == FNR { own[$1] = 1; next }
		NF == 1 { print $1, $1 }
		$2 in own { print $2, $1 }' "$work/names" - | tsort
}

# Prints a module of a directory as a constant: an object with its exports.
module() {
	printf 'const %s = (() => {\n' "$1"
	strip "$2/$1.js" | awk '
		/^import / { line = ""; inside = 1 }
		inside {
			line = line $0
			if ($0 !~ /;$/)
				next
			from = line
			sub(/.* from .\.+\//, "", from)
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

# Prints the modules of a directory.
bodies() {
	modules "$1" >"$work/modules"
	while read -r name; do
		module "$name" "$1"
	done <"$work/modules"
}

all=$(find "$scripts" -name '*.js' | sort)
imports $all >"$work/imports"
exports $all >"$work/exports"
missing=$(awk 'NR == FNR { exported[$1, $2] = 1; next }
	!(($2, $3) in exported) {
		print "assemble.sh: " $1 ".js imports " $3 ", which " $2 \
			".js does not export"
	}' "$work/exports" "$work/imports")
if [ -n "$missing" ]; then
	echo "$missing" >&2
	exit 1
fi

shared=$(names "$scripts" | paste -sd , -)
parts=
for part in "$scripts"/*/; do
	[ ! -d "$part" ] || parts="$parts $(basename "$part")"
done
for part in $parts; do
	{
		printf '"use strict";\n'
		printf '(window.sjkcParts = window.sjkcParts || {}).%s = ' \
			"$part"
		printf '({ %s }) => {\n' "$shared"
		bodies "$scripts/$part"
		printf 'return %s_%s;\n};\n' "$page" "$part"
	} >"$work/js.$part"
done
{
	printf '(function () {\n"use strict";\n'
	bodies "$scripts"
	[ -z "$parts" ] || cat <<END
const parts = {};
for (const [name, make] of Object.entries(window.sjkcParts || {}))
parts[name] = make({ $shared });
END
	printf '%s_start.startPage(%s);\n})();\n' "$page" "${parts:+parts}"
} >"$work/js"
strip "$here/$page.css" >"$work/css"

# A `</` anywhere in a script would end the element.
if grep -q '</' "$work"/js* "$work/css"; then
	echo "assemble.sh: '</' in a script or style" >&2
	exit 1
fi

hashes=$(for script in "$work"/js*; do hash_source "$script"; printf ' '; done)

# The head of a page is that of all of them.
sed -e "/@HEAD@/{" -e "r $here/head.inc" -e d -e '}' "$here/$page.html" |
awk -v js="$work/js" -v css="$work/css" -v script="${hashes% }" \
	-v style="$(hash_source "$work/css")" '
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
/@JS\..*@/ {
	gsub(/.*@JS|@.*/, "")
	element("script", js $0)
	next
}
{
	sub(/@SCRIPT@/, script)
	sub(/@STYLE@/, style)
	print
}' >"$output"
