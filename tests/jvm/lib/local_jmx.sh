# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# shellcheck disable=SC2154 # variables of the caller
# Sourced after target.sh and attach.sh by tests of local JMX connectors.  $pid is
# the JVM, $scratch the test's own directory.

: "${TOOLS:=build/cc/tests/jvm/lib}"

# local_jmx STATUS MODE [COMMAND…]: runs local_jmx.c for $pid, by COMMAND if
# there is one (nsenter, setpriv), and fails unless it exits with STATUS.
local_jmx() {
	wanted=$1 mode=$2
	shift 2
	timeout 300 "$@" "$TOOLS/local_jmx" "$pid" "$mode" \
		>"$scratch/out" 2>"$scratch/err"
	status=$?
	[ "$status" -eq "$wanted" ] && return
	echo "$* local_jmx $pid $mode: exit status $status, not $wanted"
	cat "$scratch/out" "$scratch/err"
	return 1
}

# greeted_at ADDRESS: fails unless the last local_jmx connected to ADDRESS and
# received the greeting of an RMI server.
greeted_at() {
	printed greeted && printed "peer=$1:"
}

# greeted: greeted_at the loopback address
greeted() {
	greeted_at 127.0.0.1
}
