# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# shellcheck disable=SC2154
# Sourced after target.sh and attach.sh by tests of local connectors: runs
# $TOOLS/local_jmx.  $pid is the JVM, $scratch a folder of the test's own.

: "${TOOLS:=build/cc/tests/jvm/lib}"

# looks STATUS HOW [COMMAND…]: local_jmx of $pid, as that command runs it
looks() {
	wanted=$1 how=$2
	shift 2
	timeout 300 "$@" "$TOOLS/local_jmx" "$pid" "$how" \
		>"$scratch/out" 2>"$scratch/err"
	status=$?
	[ "$status" -eq "$wanted" ] && return
	echo "$* local_jmx $pid $how: exit status $status, not $wanted"
	cat "$scratch/out" "$scratch/err"
	return 1
}

# greeted_at ADDRESS: it connected there, and RMI answered
greeted_at() {
	printed greeted && printed "peer=$1:"
}

greeted() {
	greeted_at 127.0.0.1
}
