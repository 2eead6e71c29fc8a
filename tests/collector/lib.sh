# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after tests/jvm/lib/target.sh and tests/root/lib/prof.sh, by tests of the
# OpenTelemetry Collector.  $COLLECTOR is the directory of the programs that
# tests/collector.sh builds.
# shellcheck disable=SC2034,SC2154 # variables of the caller
received=$scratch/received
mkdir -p "$received"

# collector_has PROGRAM: ends the test if the program could not be built
collector_has() {
	[ ! -x "$COLLECTOR/$1" ] || return 0
	cat "$COLLECTOR/$1.why"
	exit 77
}

# free_ports COUNT: prints ports that are free on loopback
free_ports() {
	/usr/bin/python3 -c '
import socket, sys
all = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*[one.getsockname()[1] for one in all])' "$1"
}

# receiver_start: starts the receiver, again at its ports; sets $receiver_pid and
# the ports $grpc and $http.
receiver_start() {
	collector_has receiver
	[ -n "${http-}" ] || {
		# shellcheck disable=SC2046 # one word a port
		set -- $(free_ports 2)
		grpc=$1 http=$2
	}
	"$COLLECTOR/receiver" "$received" "127.0.0.1:$grpc" "127.0.0.1:$http" \
		>"$scratch/receiver.out" 2>&1 &
	receiver_pid=$!
	target_jobs="$target_jobs $receiver_pid"
	target_wait "$scratch/receiver.out" READY
}

# relay_start: starts a relay before the receiver, which stores what sjkc sends;
# sets the port $relay.
relay_start() {
	/usr/bin/python3 tests/collector/relay.py "$received" "$http" \
		>"$scratch/relay.out" 2>&1 &
	target_jobs="$target_jobs $!"
	target_wait "$received/port" . "$!" || { cat "$scratch/relay.out"; return 1; }
	relay=$(cat "$received/port")
}

# received_agrees FILE: the Collector understood each request as sjkc sent it, and
# has as many samples as prof reports in FILE to have delivered and taken.
received_agrees() {
	/usr/bin/python3 tests/collector/compare.py "$received" \
		>"$scratch/agrees" || { cat "$scratch/agrees" "$1"; return 1; }
	delivered=$(sed -n 's/.*: delivered \([0-9]*\) of \([0-9]*\) samples* in \([0-9]*\) .*/\1 \2 \3/p' "$1")
	got=$(sed -n 's/^samples //p' "$scratch/agrees")
	requests=$(sed -n 's/^requests //p' "$scratch/agrees")
	[ "$delivered" = "$got $got $requests" ] && [ "$got" -gt 0 ] && {
		echo "| $requests requests, $got samples, ${2-}"
		return
	}
	echo "delivered '$delivered' samples, the Collector has $got in $requests"
	cat "$1"
	return 1
}
