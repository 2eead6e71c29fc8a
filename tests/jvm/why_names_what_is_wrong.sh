# SPDX-License-Identifier: Apache-2.0
# why names a deadlock and a lock that threads wait for.  It reports no cause for an
# idle JVM.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh

# why STATUS OPTION...: runs why on $pid, and fails unless it exits with STATUS
why() {
	wanted=$1
	shift
	timeout 60 "$sjkc" why "$pid" -d 2s --exit-code "$@" >"$scratch/out" \
		2>"$scratch/err"
	status=$?
	[ $status -eq "$wanted" ] || {
		echo "exit status $status, not $wanted"
		cat "$scratch/out" "$scratch/err"
		return 1
	}
}

# printed TEXT: fails unless a line matches
printed() {
	grep -q -- "$1" "$scratch/out" || { echo "no $1"; cat "$scratch/out"; return 1; }
}

jdk=$(jdks | head -n 1)
target "$jdk" -- threads=5 || exit 1
why 0 && printed '^no cause found in 2 s' && printed '^fine: .*deadlocks' || exit 1
target_end "$pid"
target "$jdk" -- deadlock=2 threads=3 || exit 1
why 11 && printed '^1  BROKEN   deadlock of 2 threads' &&
	printed "^            -> sjkc threads $pid\$" || exit 1
why 11 --json && printed '"schema":"sjkc.why/1"' &&
	printed '"rule":"deadlock","rank":"BROKEN"' || exit 1
target_end "$pid"
target "$jdk" -- blocked=8 || exit 1
# On a busy machine, that is a cause, too.
why 10 --json && printed '"rule":"convoy","rank":"WAITING","sentence":"8 of [0-9]* threads of ' || exit 1
