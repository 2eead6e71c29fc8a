#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Only in check-all: bodies of 100 MB; http_forward_test has small ones.
# Bodies of 100 MB pass mxprx -u in both directions, with a length, in chunks,
# and over TLS.  The proxy's memory does not
# grow with them, nor if the client or the agent stops reading, and other clients
# are served meanwhile.  If a client goes away, the response to it ends.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

stream() {
	PYTHONPATH=tests/jvm/lib timeout 240 python3 - "$proxy_port" "$proxy" \
		"$@" <<-'END'
		import hashlib, os, ssl, sys
		from http_stand_in import *
		port, pid, tls = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
		COUNT = 100 if os.environ.get("EVERY_JDK") else 40
		PIECE = bytes(range(32, 127)) * 11038
		sent, cut = [0], []
		def answer(c, head, body):
		    path = head.split()[1]
		    if path.endswith(b"/length"):
		        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" %
		                  (COUNT * len(PIECE)))
		        try:
		            for i in range(COUNT):
		                c.sendall(PIECE)
		                sent[0] += 1
		        except OSError:
		            cut.append(path)
		            return False
		    elif path.endswith(b"/chunked"):
		        c.sendall(b"HTTP/1.1 200 OK\r\n"
		                  b"Transfer-Encoding: chunked\r\n\r\n")
		        for i in range(COUNT):
		            c.sendall(b"%x\r\n" % len(PIECE) + PIECE + b"\r\n")
		        c.sendall(b"0\r\n\r\n")
		    elif path.endswith(b"/close"):
		        c.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
		        for i in range(COUNT):
		            c.sendall(PIECE)
		        return False
		    else:
		        c.sendall(OK)
		agent = Agent(9010, answer)
		wrap = None
		if tls:
		    context = ssl.create_default_context(cafile=tls[0] + "/ca.pem")
		    wrap = lambda s: context.wrap_socket(s,
		        server_hostname="localhost")
		def works():
		    c = Client(port, wrap).ask()
		    assert c.answer()[0] == 200
		    c.close()
		def grown(what):
		    more = resident_kib(pid) - before
		    print(what, more, "KiB")
		    assert more < 2048, "%s: %d KiB more" % (what, more)
		works()
		before = resident_kib(pid)
		wanted = hashlib.md5(PIECE * COUNT).hexdigest()
		def rest(c, head, path):
		    sum, size = hashlib.md5(), [0]
		    def got(piece):
		        sum.update(piece)
		        size[0] += len(piece)
		    c.reader.body(head, got, True)
		    assert size[0] == COUNT * len(PIECE), (path, size)
		    assert sum.hexdigest() == wanted, path
		    c.close()
		def large(path, version=b"1.1"):
		    c = Client(port, wrap).ask(path=b"/jolokia" + path,
		                               version=version)
		    head = c.reader.head()
		    assert b" 200 " in head, head
		    rest(c, head, path)
		large(b"/length")
		large(b"/chunked")
		large(b"/close")
		large(b"/chunked", b"1.0")
		grown("responses")

		# A large request is checked while it passes.
		strings = b'"' + b"x" * ((1 << 20) - 3) + b'",'
		first, last = b'{"type":"read","x":[', b'""]}'
		length = len(first) + COUNT * len(strings) + len(last)
		for framing in b"Content-Length: %d" % length, \
		        b"Transfer-Encoding: chunked":
		    chunk = (lambda b: b"%x\r\n" % len(b) + b + b"\r\n") if \
		        b"chunked" in framing else (lambda b: b)
		    c = Client(port, wrap)
		    c.send(b"POST /jolokia HTTP/1.1\r\nHost: localhost\r\n" +
		           framing + b"\r\n\r\n" + chunk(first))
		    for i in range(COUNT):
		        c.send(chunk(strings))
		    before_last = len(agent.bodies)
		    c.send(chunk(last))
		    if b"chunked" in framing:
		        c.send(b"0\r\n\r\n")
		    assert c.answer()[0] == 200, framing
		    assert len(agent.bodies) == before_last + 1
		    assert agent.bodies[-1] == length, agent.bodies
		    c.close()
		grown("requests")

		# A second "type" at the end: the agent gets no complete
		# request.
		asked = len(agent.bodies)
		c = Client(port, wrap)
		last = b'""],"type":"exec"}'
		length = len(first) + COUNT * len(strings) + len(last)
		c.send(b"POST /jolokia HTTP/1.1\r\nHost: localhost\r\n"
		       b"Content-Length: %d\r\n\r\n" % length + first)
		for i in range(COUNT):
		    c.send(strings)
		c.send(last)
		assert c.answer()[0] == 400
		time.sleep(0.2)
		assert len(agent.bodies) == asked

		# A request that grows beyond the limit.
		def oversized():
		    c = Client(port, wrap)
		    c.send(b"POST /jolokia HTTP/1.1\r\nHost: localhost\r\n"
		           b"Transfer-Encoding: chunked\r\n\r\n" + chunk(first))
		    try:
		        for i in range(257):
		            c.send(chunk(strings))
		    except OSError:
		        pass
		    assert c.status() in (413, None), "no limit"
		    time.sleep(0.2)
		    assert len(agent.bodies) == asked
		if COUNT == 100 or not tls:
		    oversized()

		# A client that stops reading.
		sent[0] = 0
		c = Client(port, wrap).ask(path=b"/jolokia/length")
		head = c.reader.head()
		def stands():
		    was = sent[0]
		    time.sleep(0.5)
		    return sent[0] == was
		assert until(stands), "the agent is never held up"
		assert sent[0] < COUNT, "all of it has gone somewhere"
		grown("a client that does not read")
		works()
		rest(c, head, "slow")

		# A client that closes its sending direction.
		def below(c):
		    """Closes it, and returns the socket below TLS."""
		    if not tls:
		        c.s.shutdown(socket.SHUT_WR)
		        return c.s
		    c.s.setblocking(False)
		    try:
		        c.s.unwrap()
		    except ssl.SSLError:
		        pass
		    s = socket.socket(fileno=c.s.detach())
		    s.settimeout(20)
		    return s
		c = Client(port, wrap).ask(path=b"/jolokia/length")
		head = c.reader.head()
		assert until(stands)
		got, s, piece = 0, below(c), b"x"
		time.sleep(0.5)
		while piece:
		    piece = s.recv(1 << 20)
		    got += len(piece)
		assert got > (COUNT - 1) * len(PIECE), got
		s.close()

		# A client that stops reading, and goes away.
		c = Client(port, wrap).ask(path=b"/jolokia/length")
		c.reader.head()
		assert until(stands) and not cut
		c.close()
		assert until(lambda: cut, 20), "the proxy keeps the response"

		# An agent that stops reading.
		c = Client(port, wrap)
		c.send(b"POST /jolokia/deaf HTTP/1.1\r\nHost: localhost\r\n"
		       b"Content-Length: %d\r\n\r\n" % (256 << 20) + first)
		c.s.settimeout(1)
		more = 0
		try:
		    while more < 200 << 20:
		        more += c.s.send(strings)
		except TimeoutError:
		    pass
		assert more < 200 << 20, "all of it has gone somewhere"
		grown("an agent that does not read")
	END
}

proxy -u http://127.0.0.1:9010/jolokia -b 0 || exit 1
stream || { cat "$proxy_said"; exit 1; }
proxy_end TERM || exit 1
lab_tls || exit 1
proxy -u http://127.0.0.1:9010/jolokia -b 0 --tls-cert "$tls/server.pem" \
	--tls-key "$tls/server.key" || exit 1
stream "$tls" || { cat "$proxy_said"; exit 1; }
proxy_end TERM
