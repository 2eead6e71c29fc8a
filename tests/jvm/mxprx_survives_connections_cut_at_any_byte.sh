#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Clients or JVMs close, half-close or reset their connection at each byte of a
# session: mxprx closes the other connection, and no descriptor is left.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

proxy -s 127.0.0.1:9010 -b 0 || exit 1
PYTHONPATH=tests/jvm/lib timeout 300 python3 - "$proxy_port" "$proxy" \
	<<-'END' || exit 1
	import sys
	from stand_in import *
	port, pid = int(sys.argv[1]), sys.argv[2]
	jvm = Jvm(9010)
	works(port)
	def quiet():
	    return descriptors(pid) == idle
	idle = settled(pid)

	def reset(s):
	    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
			 struct.pack("ii", 1, 0))
	    s.close()

	def finish(s):
	    s.close()

	# The client closes or resets at each byte of a whole session.
	said = HELLO + ENDPOINT + LOOKUP + LOGIN + DOMAIN
	for end in reset, finish:
	    for length in range(len(said) + 1):
	        s = connect(port)
	        s.sendall(said[:length])
	        if length % 3 == 0 and length > 6:
	            take(s, 3)
	        end(s)
	    assert until(quiet), (end, descriptors(pid), idle)

	# The client closes its sending direction and reads on.
	s = greeted(port)
	s.sendall(LOOKUP)
	s.shutdown(socket.SHUT_WR)
	assert rest_of(s) == returned(server_stub(b"127.0.0.1", port))
	s = greeted(port)
	s.sendall(LOOKUP + LOGIN + DOMAIN)
	s.shutdown(socket.SHUT_WR)
	assert rest_of(s) == (returned(server_stub(b"127.0.0.1", port)) +
			      returned(session_stub(b"127.0.0.1", port)) +
			      returned(string(b"a value")))
	s = greeted(port)
	s.sendall(HELLO[:3])
	s.shutdown(socket.SHUT_WR)
	assert ends(s)
	assert until(quiet), descriptors(pid)

	# The JVM closes after each prefix of its return.
	for first in [server_stub(jvm.host, 9010), string(b"a value")]:
	    whole = returned(first)
	    for length in range(len(whole)):
	        class Ends(Exception):
	            pass
	        def cut(message, length=length):
	            yield whole[:length]
	            raise OSError
	        jvm.answer = cut
	        s = greeted(port)
	        s.sendall(LOOKUP if first[:1] == b"s" else DOMAIN)
	        rest = rest_of(s)
	        # A stub is passed on only when it is complete.
	        expected = b"" if first[:1] == b"s" else whole[:length]
	        assert rest == expected, (length, rest)
	        s.close()
	del jvm.answer
	assert until(quiet), descriptors(pid)

	# The JVM closes while no call runs: mxprx closes the client's
	# connection.
	s = greeted(port)
	ask(s, DOMAIN, returned(string(b"a value")))
	jvm.connections[-1].shutdown(socket.SHUT_RDWR)
	assert ends(s)
	works(port)
	assert until(quiet), descriptors(pid)
END
[ ! -s "$proxy_said" ] || ! grep -iq 'assert\|sanitizer\|abort' "$proxy_said" ||
	{ cat "$proxy_said"; exit 1; }
proxy_end TERM
