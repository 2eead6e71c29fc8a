#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Garbage, other RMI protocols, nested and endless objects, and dangerous
# classes in place of a password: mxprx closes the connection or returns an
# exception, and the JVM receives none of it.  Valid messages pass with the same
# values in both directions, also values that look like a stub.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

proxy -s 127.0.0.1:9010 -b 0 --max-clients-per-host 1000 || exit 1
PYTHONPATH=tests/jvm/lib timeout 300 python3 - "$proxy_port" "$proxy" \
	<<-'END' || exit 1
	import random, sys
	from stand_in import *
	port, pid = int(sys.argv[1]), sys.argv[2]
	jvm = Jvm(9010)
	works(port)
	def heard():
	    return sum(len(m) for c in jvm.heard for m in c)
	def array(name, count):
	    return (b"ur" + utf(name) + bytes(8) + b"\2\0\0xp" +
		    struct.pack(">I", count))

	# Before the first message.
	silence = heard()
	random.seed(37)
	hellos = [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"JRMI\0\1K", b"JRMI\0\2L",
		  b"JRMX", b"\x16\3\1\2\0\1\0", b"\0" * 100, b"JRMI\0\2\0",
		  HELLO + b"\xff\xff" + b"x" * 1000]
	hellos += [random.randbytes(200) for _ in range(100)]
	for said in hellos:
	    s = connect(port)
	    s.sendall(said)
	    assert rest_of(s)[:1] in (b"", b"N"), said
	s = connect(port)
	s.sendall(b"JRMI\0\2M")
	assert rest_of(s) == b"O", "RMI's server refuses the multiplex protocol so"

	# Messages.
	objects = b"[Ljava.lang.Object;"
	login = call(SERVER, NEW_CLIENT)
	wrong = [
	    b"\0", b"Q", b"PPPP", b"P\xac\xed\0\4", b"P" + bytes(50),
	    call(SERVER, b"unknown!", b"p"),
	    call(REGISTRY, REGISTRY_HASH, b"", b"\0\0\0\7"),
	    login + b"w\1x", login + b"x", login + b"\x80",
	    login + b"q\0\x7e\0\0",
	    login + b"|\xff\xff\xff\xff\xff\xff\xff\xff",
	    login + b"|\0\0\0\0\3\xff\xff\xff" + b"x" * (20 << 20),
	    login + array(b"[B", 0x7fffffff),
	    login + array(objects, 1) + b"uq\0\x7e\0\0\0\0\0\1" * 1000,
	    login + array(objects, 1 << 25) + b"t\0\0" * (1 << 22),
	    login + array(objects, 1 << 25) + b"sr\0\1E" + bytes(8) +
	    b"\2\0\0xp" + b"sq\0\x7e\0\1" * (1 << 21),
	    login + b"sr\0\1E" + bytes(8) + b"\x0c\0\0xp",
	]
	wrong += [random.randbytes(100) for _ in range(100)]
	wrong += [login + random.randbytes(100) for _ in range(100)]
	for said in wrong:
	    s = greeted(port)
	    try:
	        s.sendall(said)
	        s.shutdown(socket.SHUT_WR)
	    except OSError:
	        pass
	    rest = rest_of(s)
	    assert rest == b"" or b"SecurityException" in rest, (said[:80], rest)
	assert heard() == silence, jvm.heard[-1]
	assert resident_kib(pid) < 150 << 10, resident_kib(pid)

	# Classes in place of a password; the connection stays usable.
	payload = (b"sr" + utf(b"java.util.PriorityQueue") + bytes(8) +
		   b"\3\0\2I\0\4sizeL\0\ncomparatort\0\26Ljava/util/Comparator;" +
		   b"xp\0\0\0\2pw\4\0\0\0\3x")
	s = greeted(port)
	for said in [payload, array(b"[Ljava.lang.String;", 1) + payload,
		     array(objects, 0)]:
	    s.sendall(login + said)
	    rest = s.recv(1 << 16)
	    assert rest[:1] == b"Q" and rest[7:8] == b"\2", rest
	    assert b"SecurityException" in rest, rest
	assert heard() == silence, jvm.heard[-1]
	ask(s, LOGIN, returned(session_stub(b"127.0.0.1", port)))
	assert jvm.heard[-1] == [LOGIN], jvm.heard[-1]

	# A value that looks like a stub passes unchanged.
	values = [server_stub(b"192.0.2.1", 9010), string(b"UnicastRef"),
		  reference(b"192.0.2.1", 9010, SESSION), b"x" * 70000,
		  bytes(range(256)) * 100]
	for value in values:
	    jvm.value = lambda value=value: value
	    said = attribute(b"a:b=" + bytes([0xc0, 0x80, 0xe2, 0x82, 0xac]),
			     b"UnicastRef")
	    ask(s, said, returned(value))
	    assert b"".join(jvm.heard[-1]).endswith(said)
	# In a stub, only the endpoint is rewritten, whatever its host name.
	jvm.value = lambda: string(b"a value")
	for host in b"h", b"h" * 200, b"169.254.169.254", b"\xc3\xa4":
	    jvm.host = host
	    ask(greeted(port), LOOKUP, returned(server_stub(b"127.0.0.1", port)))
	jvm.host = b"127.0.0.1"

	# Bytes behind a return are not forwarded, and end the connection.
	jvm.answer = lambda message: [returned(string(b"1.0")) +
	                              returned(server_stub(b"192.0.2.1", 1))]
	s = greeted(port)
	s.sendall(call(SERVER, GET_VERSION))
	assert rest_of(s) == b""
	del jvm.answer
	# The rest of a long return may look like the return of a lookup.  It
	# leads no other client to another port.
	s = greeted(port)
	ask(s, LOOKUP, returned(server_stub(b"127.0.0.1", port)))
	ask(s, DOMAIN, returned(string(b"a value")))
	def chosen(message):
	    if LOOKUP in message:
	        return [returned(server_stub(b"192.0.2.1", 1))]
	    return [returned(b"sr" + utf(b"java.rmi.NoSuchObjectException") +
			     bytes(8) + b"\2\0\0pxp", b"\2")]
	jvm.answer = chosen
	s.sendall(LOOKUP)
	assert s.recv(1 << 16)[:1] == b"Q"
	del jvm.answer
	ask(greeted(port), LOGIN, returned(session_stub(b"127.0.0.1", port)))

	# Many clients send endless messages before login: each uses at most
	# 256 KiB, including socket buffers.
	before, held = resident_kib(pid), []
	for _ in range(100):
	    s = greeted(port)
	    try:
	        s.sendall(login + array(objects, 1 << 23) + b"t\0\0" * 30000)
	    except OSError:
	        pass
	    held.append(s)
	works(port)
	assert resident_kib(pid) - before < 100 * 256, resident_kib(pid)
	# Then a client that has logged in sends long messages.
	s = greeted(port)
	ask(s, LOGIN, returned(session_stub(b"127.0.0.1", port)))
	jvm.value = lambda: string(b"a value")
	s.sendall(attribute(b"a:b=" + b"c" * 60000, b"d" * 60000))
	assert s.recv(1 << 16)[:1] == b"Q"
	# All these clients share 32 MiB, and other clients are served.
	for _ in range(500):
	    s = greeted(port)
	    try:
	        s.sendall(login + array(objects, 1 << 23) + b"t\0\0" * 1000)
	    except OSError:
	        pass
	    held.append(s)
	works(port)
	ask(greeted(port), LOGIN, returned(session_stub(b"127.0.0.1", port)))
	grown = resident_kib(pid) - before
	assert grown < 48 << 10, grown
	for s in held:
	    s.close()
	works(port)
END
proxy_end TERM
