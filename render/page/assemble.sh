#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes one template of flame.html, flame.css and flame_*.js:
#
#     sh render/page/assemble.sh OUTPUT
#
# The content security policy admits one style and one script by the hashes of
# their text, so what is hashed must be to the byte what stands in the page.
# Comment lines and indentation stay behind; nothing else is changed.
set -eu
LC_ALL=C
export LC_ALL

here=$(dirname "$0")
output=$1
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

{
	printf '(function () {\n"use strict";\n'
	strip "$here"/js/*.js
	printf 'startPage();\n})();\n'
} >"$work/js"
strip "$here/flame.css" >"$work/css"

# A `</` in the script would end the element, wherever it stood.
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
}' "$here/flame.html" >"$output"
