# SPDX-License-Identifier: Apache-2.0
# Thread names with escape sequences: unchanged in a file, escaped on a
# terminal and in a pipe, which may end at one.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
command -v script >/dev/null || { echo 'no script(1)'; exit 77; }

escapes() {
	LC_ALL=C tr -dc '\033\007\200-\237' <"$1" | wc -c
}

check() {
	target "$1" -- hostile || return
	ask 0 jstack "$pid" || return
	[ "$(escapes "$scratch/out")" -gt 0 ] ||
		{ echo 'the file has no escapes to begin with'; return 1; }
	"$sjkc" jstack "$pid" | cat >"$scratch/piped"
	grep -q '␛\[31mred' "$scratch/piped" &&
		! grep -q "$(printf '\033')" "$scratch/piped" ||
		{ echo 'an escape in a pipe'; return 1; }
	script -qec "'$sjkc' jstack $pid" "$scratch/typed" >/dev/null </dev/null
	# Omit the lines that script(1) adds, and valid UTF-8.
	sed '1d;$d' "$scratch/typed" >"$scratch/shown"
	grep -q '␛\[31mred' "$scratch/shown" ||
		{ echo 'the escape is not shown'; return 1; }
	! LC_ALL=C grep -q "$(printf '[\001-\010\013\014\016-\037\177]')" \
		"$scratch/shown" ||
		{ echo 'a control character'; return 1; }
	! LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$scratch/shown" ||
		{ echo 'a C1 control character'; return 1; }
	target_end "$pid"
}

for_each_jdk check
