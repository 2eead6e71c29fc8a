#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/cli.sh SJKC [PART-OF-NAME]	compares
#	BLESS=1 tests/cli.sh SJKC [PART]	rewrites the expected output
#	CASES=screen tests/cli.sh SJKC [PART]	uses tests/screen instead;
#						CASES='cli screen' uses both
#
# Runs the scripts tests/cli/*/*.sh, each in an empty directory of its own, and
# compares their output with the files .out and .err beside them (missing =
# empty) and their exit status with .exit (missing = 0).  A script that exits
# with 77 is skipped; its stdout is the reason.  The environment has
#
#	sjkc		in PATH
#	$DATA		the recordings of tests/data
#	$SHARED		recordings beside the checkout, optional
#	$TOOLS		the compiled programs of tests/tools (faults.so, …)
#	$NO_JVM		before a command: runs it in namespaces without the JVMs of
#			other tests; empty if this machine allows none
here=$(cd "$(dirname "$0")" && pwd)

# run_one SCRIPT: prints a line of TAP without a number
run_one() {
	script=$1
	name=${script#"$here"/*/}
	name=${name%.sh}
	want=${script%.sh}
	scratch=$(mktemp -d)
	mkdir "$scratch/cwd"
	began=$(date +%s)
	(
		cd "$scratch/cwd" &&
		exec sh "$script" </dev/null >"$scratch/out" 2>"$scratch/err"
	)
	status=$?
	times >"$scratch/times"
	took=$(($(date +%s) - began))
	if [ $status -eq 77 ]; then
		echo "ok - $name # SKIP $(tail -n 1 "$scratch/out")"
	elif [ -n "$BLESS" ]; then
		bless
	else
		compare
	fi
	# The second line is of children: 0m1.5s of the program, 0m0.2s of the kernel.
	awk -F '[ms ]+' -v took="$took" -v name="tests/${script#"$here"/}" 'NR == 2 {
		printf "# cpu %.1f s of %d s %s\n", 60 * ($1 + $3) + $2 + $4,
			took, name }' "$scratch/times"
	rm -rf "$scratch"
}

bless() {
	rm -f "$want.out" "$want.err" "$want.exit"
	[ ! -s "$scratch/out" ] || cp "$scratch/out" "$want.out"
	[ ! -s "$scratch/err" ] || cp "$scratch/err" "$want.err"
	[ $status -eq 0 ] || echo $status >"$want.exit"
	echo "ok - $name"
}

compare() {
	wanted_status=$(cat "$want.exit" 2>/dev/null || echo 0)
	faults=$(
		for which in out err; do
			[ -e "$want.$which" ] && file=$want.$which || file=/dev/null
			diff -u "$file" "$scratch/$which"
		done
		[ "$status" = "$wanted_status" ] ||
			echo "exit status $status, not $wanted_status"
	)
	if [ -z "$faults" ]; then
		echo "ok - $name"
	else
		echo "not ok - $name"
		echo "$faults" | sed 's/^/# /'
		# The name matches no other script; see tests/run.sh.
		[ -z "${FAILED-}" ] ||
			echo "$faults" | grep -q Sanitizer ||
			echo "${script#"$here"}" >>"$FAILED"
	fi
}

# wanted: prints the given scripts.  With $SANITIZED, omits those with a line
# "# Sanitized only in check-all: reason", unless it is check-all.
wanted() {
	if [ -n "${EVERY_JDK-}${ONLY-}${BLESS-}" ]; then
		cat
	else
		xargs -r grep -L -e '^# Only in check-all: ' \
			-e "^# ${SANITIZED:+Sanitized only} in check-all: "
	fi
}

if [ "$1" = --one ]; then
	run_one "$3" >"$2/$(echo "$3" | tr / ,)"
	exit
fi

SJKC=$(realpath "$1")
TOOLS=$(realpath "${TOOLS-.}")
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
ln -s "$SJKC" "$bin/sjkc"
# See tests/jvm.sh.
[ ! -x /usr/bin/python3 ] || ln -s /usr/bin/python3 "$bin/"
PATH=$bin:$PATH DATA=$here/data SHARED=$here/../../shared/data
BLESS=${BLESS-} LC_ALL=C.UTF-8 TZ=UTC COLUMNS=80
NO_JVM='unshare --pid --fork --mount-proc'
$NO_JVM true 2>/dev/null || NO_JVM="$NO_JVM --user --map-root-user"
$NO_JVM true 2>/dev/null || NO_JVM=
export PATH SJKC TOOLS DATA SHARED BLESS LC_ALL TZ COLUMNS NO_JVM

# In parallel, since some of them wait; each writes to a file of its own.
mkdir "$bin/results"
for kind in ${CASES-cli}; do
	find "$here/$kind" -name '*.sh' ! -path '*/lib/*'
done | grep -F -- "${2-}" | wanted |
	xargs -P 4 -I '{}' sh "$0" --one "$bin/results" '{}'
cat "$bin/results"/* 2>/dev/null | awk '
	/^(not )?ok - / { sub(/ok - /, "ok " ++n " - "); bad += /^not/ }
	{ print }
	END { print "1.." n + 0; exit bad > 0 || !n }'
