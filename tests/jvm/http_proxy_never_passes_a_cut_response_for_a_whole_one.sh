#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# If an agent fails, the client of mxprx -u gets an error or a visibly
# incomplete response.  A read is sent again when the agent has closed an idle
# connection; a write never is.  Keep-alive, pipelining, HEAD, HTTP/1.0,
# 100-continue, redirects and half-closed connections work, and SIGTERM lets a
# running call finish.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

proxy -u http://127.0.0.1:9010/jolokia -b 0 || exit 1
PYTHONPATH=tests/jvm/lib timeout 120 python3 - "$proxy_port" "$proxy" \
	<<-'END' || { cat "$proxy_said"; exit 1; }
	import os, signal, sys
	from http_stand_in import *
	port, pid = int(sys.argv[1]), int(sys.argv[2])
	assert Client(port).ask().status() == 502, "no agent"
	# A read: the agent may close a connection before it has received the next
	# request, which is sent again then.
	RAW = b"/jolokia/read/a:b=c/raw"
	raw = [b""]
	def answer(c, head, body):
	    path = head.split()[1]
	    if path.endswith(b"/raw"):
	        c.sendall(raw[0])
	        return False
	    if path.endswith(b"/once"):
	        c.sendall(OK)
	        return False
	    if path.endswith(b"/slow"):
	        time.sleep(2)
	    c.sendall(OK)
	agent = Agent(9010, answer)
	def whole(reply, method=b"GET", version=b"1.1"):
	    """The body that the client takes for whole; None: incomplete."""
	    raw[0] = reply
	    c = Client(port).ask(method, RAW, version=version)
	    try:
	        status, head, body = c.answer(method != b"HEAD")
	    except (EOFError, ConnectionError):
	        return None
	    return (status, body)
	ok = b"HTTP/1.1 200 OK\r\n"
	chunked = ok + b"Transfer-Encoding: chunked\r\n\r\n"
	# Truncated in the head: the proxy passes on nothing.
	for reply in (b"", b"HTTP/1.1", ok, ok + b"Content-Length: 5\r\n"):
	    assert whole(reply)[0] == 502, reply
	# Truncated in the body: the client sees that it is incomplete.
	for reply in (ok + b"Content-Length: 50\r\n\r\n{}", chunked,
	              chunked + b"2\r\n{}", chunked + b"2\r\n{}\r\n",
	              chunked + b"2\r\n{}\r\n0\r\n", chunked + b"9\r\n{}"):
	    for version in b"1.1", b"1.0":
	        assert whole(reply, version=version) is None, (reply, version)
	# Invalid heads.
	for reply in (b"SSH-2.0-x\r\n\r\n", b"HTTP/1.1 99 X\r\n\r\n",
	              ok + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
	              ok + b"Content-Length: 2\r\nTransfer-Encoding: chunked"
	              b"\r\n\r\n{}", ok + b"Transfer-Encoding: gzip\r\n\r\n{}",
	              ok + b"X: 1\r\n 2\r\n\r\n{}", b"HTTP/1.1 200 OK\n\n{}",
	              b"HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n",
	              ok + b"X: " + b"x" * 20000):
	    assert whole(reply)[0] == 502, reply[:60]
	for reply in chunked + b"zz\r\n{}", chunked + b"2\r\n{}XX":
	    assert whole(reply) is None, reply
	# Complete responses.
	def gives(wanted, reply, *how):
	    got = whole(reply, *how)
	    assert got == wanted, (reply[:60], got)
	gives((200, b"{}"), ok + b"Content-Length: 2\r\n\r\n{}")
	gives((200, b"{}"), chunked + b"2\r\n{}\r\n0\r\nX: 1\r\n\r\n")
	gives((200, b"{}"), chunked + b"2\r\n{}\r\n0\r\n\r\n", b"GET", b"1.0")
	gives((200, b"{}"), ok + b"\r\n{}")
	gives((200, b"{}"), b"HTTP/1.1 100 Continue\r\n\r\n" + ok +
	      b"Content-Length: 2\r\n\r\n{}")
	# Many interim responses in one segment.
	gives((200, b"{}"), b"HTTP/1.1 102 P\r\n\r\n" * 40000 + ok +
	      b"Content-Length: 2\r\n\r\n{}")
	gives((204, b""), b"HTTP/1.1 204 No Content\r\n\r\n")
	gives((304, b""), b"HTTP/1.1 304 X\r\nContent-Length: 9\r\n\r\n",
	      b"HEAD")
	gives((200, b""), ok + b"Content-Length: 9\r\n\r\n", b"HEAD")
	raw[0] = (b"HTTP/1.1 302 Found\r\nLocation: "
	          b"http://127.0.0.1:9010/jolokia/x?y\r\n\r\n")
	head = Client(port).ask(path=RAW).answer()[1]
	assert header(head, b"location") == b"/jolokia/x?y", head

	# The agent answers before the request is complete, and the rest of the
	# request is refused: the client sees that the response is incomplete.
	def early(c, head, body):
	    c.sendall(ok + b"Content-Length: 2000\r\n\r\n{")
	    time.sleep(60)
	usual, agent.answer = agent.answer, early
	usual_read, Reader.body = Reader.body, lambda self, *rest: None
	for rest in b"zz\r\n", b"2\r\n]]\r\n":
	    c = Client(port).send(
	        b"POST /jolokia HTTP/1.1\r\nHost: localhost\r\n"
	        b"Transfer-Encoding: chunked\r\n\r\n11170\r\n[" +
	        b" " * 69999 + b"\r\n")
	    assert b" 200 " in c.reader.head()
	    c.send(rest)
	    got = b""
	    try:
	        while True:
	            piece = c.s.recv(4096)
	            got += piece
	            if not piece:
	                break
	    except ConnectionError:
	        pass
	    assert (c.reader.rest + got).strip(b"{") == b"", got
	    c.close()
	agent.answer, Reader.body = usual, usual_read

	# An agent's connection is used again, by another client.
	before = agent.connections
	c = Client(port)
	for _ in range(20):
	    assert c.ask().answer()[0] == 200
	assert Client(port).ask().answer()[0] == 200
	assert agent.connections <= before + 1, agent.connections - before
	# Pipelined requests are answered in their order.
	request = b"%s /jolokia%s HTTP/1.1\r\nHost: localhost\r\n\r\n"
	c = Client(port)
	c.send(b"".join(request % (b"GET", p) for p in (b"/slow", b"", b"/../x")))
	assert c.answer()[0] == 200
	assert c.answer()[0] == 200
	assert c.answer()[0] == 400

	# The agent closes the connection after it has received the next
	# request.
	def stale(body):
	    """Leaves one idle connection, whose next request gets nothing."""
	    time.sleep(0.1)
	    deaf = threading.Event()
	    usual, asked = agent.answer, []
	    def once(c, head, body):
	        asked.append(body)
	        if len(asked) == 1:
	            return False
	        return usual(c, head, body)
	    assert Client(port).ask().answer()[0] == 200
	    agent.answer = once
	    got = Client(port).ask(b"POST", body=body).status()
	    agent.answer = usual
	    return got, len(asked)
	assert stale(READ) == (200, 2)
	assert stale(WRITE) == (502, 1)
	assert stale(b"[" + READ + b"," + WRITE + b"]") == (502, 1)

	# 100-continue: the client sends the body only then.
	c = Client(port).send(b"POST /jolokia HTTP/1.1\r\nHost: localhost\r\n"
	                      b"Expect: 100-continue\r\nContent-Length: 47\r\n"
	                      b"\r\n")
	assert b" 100 " in c.reader.head()
	assert c.send(READ).answer()[0] == 200
	# A client that closes its sending direction after the request.
	c = Client(port).ask(path=b"/jolokia/slow")
	c.s.shutdown(socket.SHUT_WR)
	assert c.answer()[0] == 200 and c.is_closed()
	c = Client(port).ask(version=b"1.0")
	assert c.answer()[0] == 200 and c.is_closed()
	c = Client(port).ask(headers=b"Connection: close\r\n")
	assert c.answer()[0] == 200 and c.is_closed()

	# Shutdown: a running call finishes, an idle connection is closed.
	idle = Client(port).ask()
	assert idle.answer()[0] == 200
	running = Client(port).ask(path=b"/jolokia/slow")
	time.sleep(0.5)
	os.kill(pid, signal.SIGTERM)
	assert idle.is_closed(1.4), "an idle client holds up the end"
	status, head, _ = running.answer()
	assert status == 200 and header(head, b"connection") == b"close", head
END
wait "$proxy"
status=$?
[ $status -eq 0 ] || { echo "exit status $status"; exit 1; }
