#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A client of mxprx stops reading a return of 100 MB: the proxy keeps at most a
# buffer of it, serves other clients meanwhile, and passes on the rest when the
# client continues.  The same holds if the JVM stops reading, and over TLS.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

proxy -s 127.0.0.1:9010 -b 0 || exit 1
PYTHONPATH=tests/jvm/lib timeout 300 python3 - "$proxy_port" "$proxy" \
	<<-'END' || exit 1
	import hashlib, sys
	from stand_in import *
	port, pid = int(sys.argv[1]), sys.argv[2]
	jvm = Jvm(9010)
	works(port)
	piece = bytes(range(256)) * 4096
	count = 100
	array = (b"ur\0\2[B\xac\xf3\x17\xf8\6\10T\xe0\2\0\0xp" +
		 struct.pack(">I", count * len(piece)))
	sent = [0]
	def large():
	    yield returned(array)
	    for _ in range(count):
	        yield piece
	        sent[0] += 1
	jvm.value = large
	before = resident_kib(pid)
	s = greeted(port)
	ask(s, LOOKUP, returned(server_stub(b"127.0.0.1", port)))
	s.sendall(DOMAIN)
	# The socket buffers of the kernel are not the proxy's memory.
	assert until(lambda: sent[0] > 0)
	def is_blocked():
	    was = sent[0]
	    time.sleep(0.5)
	    return sent[0] == was
	assert until(is_blocked), "the JVM's writes never block"
	assert sent[0] < count, "the whole return was sent"
	grown = resident_kib(pid) - before
	assert grown < 1024, "%d KiB more" % grown
	jvm.value = lambda: string(b"a value")
	works(port)
	head = take(s, len(returned(array)))
	assert head == returned(array)
	for i in range(count):
	    assert take(s, len(piece)) == piece, i
	assert sent[0] == count
	ask(s, DOMAIN, returned(string(b"a value")))
	grown = resident_kib(pid) - before
	assert grown < 1024, "%d KiB more" % grown
	s.close()

	# A JVM that does not read: the rest of a call stays with the client.
	jvm.close()
	class Deaf(Jvm):
	    def serve(self, c, heard):
	        self.greet(c)
	        heard.append(c.recv(100))
	        time.sleep(100)
	deaf = Deaf(9010)
	s = greeted(port)
	s.settimeout(1)
	more = 0
	try:
	    while more < 200 << 20:
	        more += s.send(DOMAIN * 1000)
	except TimeoutError:
	    pass
	assert more < 200 << 20, "all of it has gone somewhere"
	grown = resident_kib(pid) - before
	assert grown < 1024, "%d KiB more" % grown
END
proxy_end TERM || exit 1

lab_tls || exit 1
proxy -s 127.0.0.1:9010 -b 0 --cacert "$tls/ca.pem" || exit 1
PYTHONPATH=tests/jvm/lib timeout 300 python3 - "$proxy_port" "$tls" \
	<<-'END' || exit 1
	import sys
	from stand_in import *
	port, tls = int(sys.argv[1]), sys.argv[2]
	jvm = Jvm(9010, tls=server_tls(tls + "/server.pem", tls + "/server.key"))
	works(port)
	s = greeted(port)
	for length in range(40000, 1000000, 77777):
	    value = b"|" + struct.pack(">Q", length) + b"x" * length
	    # Each write is a TLS record of 15,000 bytes, which fills no buffer.
	    whole = returned(value)
	    jvm.value = lambda: [whole[at:at + 15000]
				 for at in range(0, len(whole), 15000)]
	    s.sendall(DOMAIN)
	    time.sleep(0.05)
	    assert take(s, len(returned(value))) == returned(value)
END
proxy_end TERM
