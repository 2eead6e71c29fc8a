#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/jvm.sh SJKC [NAME...]
#
# Runs tests/jvm/*.sh, or those that are named, which need a JDK: each gets the
# binary and a folder of its own, and fails by its exit status, saying why; of
# one that passes, lines that begin with "| " are shown.  Behind each is the CPU time
# of what it started and waited for.  Of those that fail, the
# scripts' names get into the file $FAILED, if that is set.
# Mostly they wait, so JOBS=4 run at a time, those first that say that they take
# long; so a test asks no JVM but its own, whatever else runs on the machine.
cd "$(dirname "$0")/.." || exit 2
. tests/tap.sh
sjkc=$1
shift
[ $# -gt 0 ] || set -- tests/jvm/*.sh
results=$(mktemp -d)
# Debian's, where there is another python3 that is a script, which looks for one
# each time, and takes longer than most of what is asked of it.
mkdir "$results/bin"
[ ! -x /usr/bin/python3 ] || ln -s /usr/bin/python3 "$results/bin/"
PATH=$results/bin:$PATH
export sjkc results PATH
early='^# Begins early:'
# shellcheck disable=SC2016 # for the inner shell
{ grep -l "$early" "$@"; grep -L "$early" "$@"; } | xargs -P "${JOBS:-4}" -n 1 sh -c '
	scratch=$(mktemp -d)
	name=$(basename "$1" .sh)
	sh "$1" "$sjkc" "$scratch" >"$results/$name.out" 2>&1
	echo $? >"$results/$name.status"
	times >"$results/$name.times"
	rm -rf "$scratch"' -
for script in "$@"; do
	result=$results/$(basename "$script" .sh)
	name=$(basename "$script" .sh | tr _ ' ')
	out=$(cat "$result.out")
	status=$(cat "$result.status")
	case $status in
	0)
		tap_result "$name"
		printf '%s\n' "$out" | sed -n 's/^| /# | /p'
		;;
	77) tap_skip "$name" "$out" ;;
	*)
		tap_result "$name" "${out:-exit status ${status:-unknown}}"
		[ -z "${FAILED-}" ] || echo "$script" >>"$FAILED"
		;;
	esac
	# The second line is of children: 0m1.5s of the program, 0m0.2s of the kernel.
	awk -F '[ms ]+' 'NR == 2 {
		printf "# cpu %.1f s\n", 60 * ($1 + $3) + $2 + $4
	}' "$result.times"
done
rm -rf "$results"
tap_end
