# SPDX-License-Identifier: Apache-2.0
# For about two thousand texts, sjkc and Java agree whether each is an object
# name or a pattern, and on its canonical name.
# shellcheck disable=SC2034 # for target.sh
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
target_program=Names

named() {
	classes=$(target_compile "$1") || return 1
	timeout 300 "$1/bin/java" -Xmx64m -cp "$classes" Names \
		>"$scratch/java" || return 1
	timeout 300 "$TOOLS/show_names" <"$scratch/java" >"$scratch/ours" ||
		return 1
	if ! diff -u "$scratch/java" "$scratch/ours" >"$scratch/diff"; then
		head -n 40 "$scratch/diff"
		return 1
	fi
	# Enough texts of each kind were compared.
	[ "$(grep -c '	$' "$scratch/java")" -gt 300 ] &&
		[ "$(grep -c '[^	]$' "$scratch/java")" -gt 300 ]
}

for_each_jdk named
