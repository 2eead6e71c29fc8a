#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/jvm.sh SJKC [NAME...]
#
# Runs tests/jvm/*.sh, or the named scripts, which need a JDK.  A script gets the
# binary and a scratch directory; its exit status is the result and its output the
# reason.  Lines that begin with "| " are shown for a script that passes.  After
# each result come the CPU time of the script and its children, and its duration.
# Names of failed scripts are added to the file $FAILED, if that is set, unless the
# script timed out: a repetition would only wait again.
#
# Most scripts wait, so JOBS=8 run at a time: those of the last run by their
# duration (build/check/durations), then those with a line "# Begins early:".
# Therefore a script must diagnose its own JVM only.  A script with a line "# Only in
# check-all: reason" runs if EVERY_JDK is set or the script is named by ONLY.
#
# $TOOLS is the directory of the programs built from tests/*/lib/*.c; $JVM_TOOLS
# replaces it for scripts of tests/jvm.  With $NOT_ROOT, a reason, scripts of
# tests/root are skipped (tests/root.sh).
cd "$(dirname "$0")/.." || exit 2
. tests/tap.sh
sjkc=$1
shift
[ $# -gt 0 ] || set -- tests/jvm/*.sh
if [ -z "${EVERY_JDK-}" ] && [ -z "${ONLY-}" ]; then
	# shellcheck disable=SC2046 # names of ours
	set -- $(grep -L '^# Only in check-all: ' "$@")
fi
results=$(mktemp -d)
# Debian's python3, if another python3 is a slow wrapper script.
mkdir "$results/bin"
[ ! -x /usr/bin/python3 ] || ln -s /usr/bin/python3 "$results/bin/"
PATH=$results/bin:$PATH
ALL_JDKS=$(. tests/jvm/lib/jdks.sh && all_jdks)
export sjkc results PATH ALL_JDKS
# A script that takes longer hangs.
limit=${EVERY_JDK:+1800}
export limit="${limit:-400}"
durations=build/check/durations

# ordered SCRIPT...: prints the scripts, those that take long first.
ordered() {
	for script; do
		! grep -q '^# Begins early:' "$script" || echo "40 $script"
		echo "0 $script"
	done | cat "$durations" - 2>/dev/null | awk '
		!($2 in took) { took[$2] = $1; named[++n] = $2 }
		took[$2] < $1 { took[$2] = $1 }
		END { for (i = 1; i <= n; i++) print took[named[i]], named[i] }' |
		sort -rn | while read -r _ script; do
			case " $* " in *" $script "*) echo "$script" ;; esac
		done
}

# shellcheck disable=SC2016 # for the inner shell
ordered "$@" | xargs -P "${JOBS:-8}" -n 1 sh -c '
	scratch=$(mktemp -d)
	name=${1##*/}
	name=${name%.sh}
	script=$1
	date +%s >"$results/$name.took"
	case $script in
	tests/root/*)
		set -- sh
		[ -z "$NOT_ROOT" ] || set -- sh -c "echo \"\$NOT_ROOT\"; exit 77"
		;;
	*)
		TOOLS=${JVM_TOOLS:-$TOOLS}
		set -- sh
		;;
	esac
	timeout --foreground -k 20 "$limit" "$@" "$script" "$sjkc" "$scratch" \
		>"$results/$name.out" 2>&1
	status=$?
	[ $status -ne 124 ] || echo "timed out after $limit s" >>"$results/$name.out"
	echo $status >"$results/$name.status"
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
		grep -q '^timed out after' "$result.out" ||
			echo "$script" >>"${FAILED:-/dev/null}"
		;;
	esac
	# The second line is of children: 0m1.5s of the program, 0m0.2s of the kernel.
	awk -F '[ms ]+' -v script="$script" '
		FILENAME ~ /took$/ { took = $1 - took; next }
		FNR == 2 {
			printf "# cpu %.1f s of %d s %s\n",
				60 * ($1 + $3) + $2 + $4, took, script
		}' "$result.took" "$result.times"
done
rm -rf "$results"
tap_end
