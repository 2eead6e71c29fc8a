#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/jvm.sh SJKC [NAME...]
#
# Runs tests/jvm/*.sh, or the named scripts, which need a JDK.  A script gets the
# binary and a scratch directory; its exit status is the result and its output the
# reason.  Lines that begin with "| " are shown for a script that passes.  After
# each result come the CPU time of the script and its children, and its duration.
# Names of failed scripts are added to the file $FAILED, if that is set.
#
# Most scripts wait, so JOBS=4 run at a time, long ones first.  Therefore a script
# must diagnose its own JVM only.
cd "$(dirname "$0")/.." || exit 2
. tests/tap.sh
sjkc=$1
shift
[ $# -gt 0 ] || set -- tests/jvm/*.sh
results=$(mktemp -d)
# Debian's python3, if another python3 is a slow wrapper script.
mkdir "$results/bin"
[ ! -x /usr/bin/python3 ] || ln -s /usr/bin/python3 "$results/bin/"
PATH=$results/bin:$PATH
ALL_JDKS=$(. tests/jvm/lib/jdks.sh && all_jdks)
export sjkc results PATH ALL_JDKS
early='^# Begins early:'
# shellcheck disable=SC2016 # for the inner shell
{ grep -l "$early" "$@"; grep -L "$early" "$@"; } | xargs -P "${JOBS:-4}" -n 1 sh -c '
	scratch=$(mktemp -d)
	name=${1##*/}
	name=${name%.sh}
	date +%s >"$results/$name.took"
	sh "$1" "$sjkc" "$scratch" >"$results/$name.out" 2>&1
	echo $? >"$results/$name.status"
	times >"$results/$name.times"
	date +%s >>"$results/$name.took"
	rm -rf "$scratch"' -
for script in "$@"; do
	name=${script##*/}
	result=$results/${name%.sh}
	name=$(echo "${name%.sh}" | tr _ ' ')
	out=$(cat "$result.out")
	status=
	read -r status 2>/dev/null <"$result.status"
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
	awk -F '[ms ]+' '
		FILENAME ~ /took$/ { took = $1 - took; next }
		FNR == 2 {
			printf "# cpu %.1f s of %d s\n",
				60 * ($1 + $3) + $2 + $4, took
		}' "$result.took" "$result.times"
done
rm -rf "$results"
tap_end
