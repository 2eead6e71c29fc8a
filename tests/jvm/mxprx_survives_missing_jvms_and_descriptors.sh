#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Without descriptors, with a port in use, or with a JVM that is missing, slow
# or restarted, mxprx prints the reason, runs on, and serves clients as soon as
# it can.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

(
	# shellcheck disable=SC3045 # dash and bash have it
	ulimit -n 32
	proxy -s 127.0.0.1:9010 -b 0 --max-clients-per-host 1000 || exit 1
	echo "$proxy_port $proxy" >"$scratch/few"
	sleep 100
) &
few=$!
target_pids="$target_pids $few"
target_wait "$scratch/few" '[0-9]' "$!" || exit 1
read -r proxy_port proxy <"$scratch/few"
target_pids="$target_pids $proxy" proxy_said=$scratch/proxy.said
PYTHONPATH=tests/jvm/lib timeout 300 python3 - "$proxy_port" "$proxy" \
	<<-'END' || exit 1
	import sys
	from stand_in import *
	port, pid = int(sys.argv[1]), sys.argv[2]
	jvm = Jvm(9010)
	works(port)
	idle = settled(pid)
	for _ in range(3):
	    many, away = [], 0
	    for _ in range(60):
	        try:
	            many.append(connect(port))
	        except ConnectionResetError:
	            away += 1
	    # Clients above the descriptor limit are rejected immediately.
	    assert until(lambda: descriptors(pid) >= 31)
	    for s in many:
	        s.settimeout(0.05)
	        try:
	            away += ends(s)
	        except TimeoutError:
	            pass
	    assert away >= 25, away
	    for s in many:
	        s.close()
	    assert until(lambda: descriptors(pid) == idle), descriptors(pid)
	    works(port)
	    assert until(lambda: descriptors(pid) == idle), descriptors(pid)
	# No descriptor is left for the JVM: the client gets an exception.
	kept = []
	while descriptors(pid) < 32:
	    kept.append(greeted(port))
	kept[0].sendall(LOOKUP)
	assert b"ConnectException" in refusal_of(kept[0])
	for s in kept:
	    s.close()
	assert until(lambda: descriptors(pid) == idle)
	works(port)
END
grep -q 'cannot accept a client: Too many open files' "$proxy_said" ||
	{ echo 'it was not said:'; cat "$proxy_said"; exit 1; }
proxy_end TERM || exit 1

# A port in use.
proxy -s 127.0.0.1:9010 -b 0 || exit 1
timeout 300 "$sjkc" mxprx -s 127.0.0.1:9010 -b "$proxy_port" >"$scratch/out" 2>&1
status=$?
[ $status -eq 5 ] || { echo "exit status $status, not 5"; cat "$scratch/out"; exit 1; }
grep -q "cannot listen on 127.0.0.1:$proxy_port: Address already in use" \
	"$scratch/out" || { cat "$scratch/out"; exit 1; }
proxy_end TERM || exit 1

# JVMs that are missing, slow, or restarted.
proxy -s 127.0.0.1:9010 -b 0 --timeout 1s || exit 1
PYTHONPATH=tests/jvm/lib timeout 300 python3 - "$proxy_port" "$proxy" \
	<<-'END' || exit 1
	import sys
	from stand_in import *
	port, pid = int(sys.argv[1]), sys.argv[2]
	def refused(why):
	    s = greeted(port)
	    s.sendall(LOOKUP)
	    rest = refusal_of(s)
	    assert b"java.rmi.ConnectException" in rest and why in rest, rest
	for _ in range(3):
	    refused(b"Connection refused")
	jvm = Jvm(9010)
	works(port)
	kept = greeted(port)
	ask(kept, LOOKUP, returned(server_stub(b"127.0.0.1", port)))
	jvm.close()
	assert ends(kept)
	refused(b"Connection refused")

	# After the restart, the JMX server has another port.
	jvm = Jvm(9010)
	other = Jvm(9011)
	jvm.answer = lambda message: ([returned(server_stub(b"pod", 9011))]
				      if LOOKUP in message else
				      [returned(gone, b"\2")])
	gone = (b"sr" + utf(b"java.rmi.NoSuchObjectException") + bytes(8) +
		b"\2\0\0pxp")
	for _ in range(2):
	    works(port)
	assert LOGIN in other.heard[-1] and DOMAIN in other.heard[-1]
	assert not any(LOGIN in c for c in jvm.heard)
	other.close()
	jvm.close()

	class Slow(Jvm):
	    def serve(self, c, heard):
	        time.sleep(100)
	slow = Slow(9010)
	refused(b"no reply in time")
	slow.close()
	# The timeout applies to the whole reply, not to the time between two
	# bytes: this reply would take longer than the client waits.
	class Drips(Jvm):
	    def serve(self, c, heard):
	        c.sendall(b"N\0\xff")
	        while True:
	            c.sendall(b"x")
	            time.sleep(0.2)
	drips = Drips(9010)
	refused(b"no reply in time")
	drips.close()
	class Other(Jvm):
	    def serve(self, c, heard):
	        c.sendall(b"SSH-2.0-x\r\n")
	        c.recv(100)
	strange = Other(9010)
	refused(b"the server does not speak RMI")
	strange.close()
	class Closes(Jvm):
	    def serve(self, c, heard):
	        c.close()
	strange = Closes(9010)
	s = greeted(port)
	s.sendall(LOOKUP)
	assert b"ConnectException" in refusal_of(s)
	strange.close()
	back = Jvm(9010)
	works(port)

	# A JVM that disappeared without closing the connection is detected at
	# the next call.
	s = greeted(port)
	ask(s, DOMAIN, returned(string(b"a value")))
	ask(s, b"R", b"S")
	back.answer = lambda message: []
	s.sendall(b"R")
	assert ends(s)
END
proxy_end TERM
