#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Agents that fall silent: after --timeout the client of mxprx -u gets 504, or sees
# that a response is incomplete, and its connection is closed.  Slow but steady
# responses and streams of events pass, and other clients are served meanwhile.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

proxy -u http://127.0.0.1:9010/jolokia -b 0 --timeout 2s --log || exit 1
PYTHONPATH=tests/jvm/lib timeout 120 python3 - "$proxy_port" <<-'END' ||
	import sys
	from http_stand_in import *
	port = int(sys.argv[1])
	ok = b"HTTP/1.1 200 OK\r\n"
	done = threading.Event()
	def pieces(c, list, pause=0.3):
	    for piece in list:
	        c.sendall(piece)
	        time.sleep(pause)
	def answer(c, head, body):
	    path = head.split()[1].rsplit(b"/", 1)[1]
	    if path == b"silent":
	        done.wait(60)
	    elif path == b"head":
	        pieces(c, [ok] + [b"X: 1\r\n"] * 100)
	    elif path == b"interim":
	        pieces(c, [b"HTTP/1.1 102 Processing\r\n\r\n"] * 100)
	    elif path == b"body":
	        c.sendall(ok + b"Content-Length: 5\r\n\r\n{")
	        done.wait(60)
	    elif path == b"chunks":
	        c.sendall(ok + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n")
	        done.wait(60)
	    elif path == b"steady":
	        pieces(c, [ok + b"Content-Length: 12\r\n\r\n"] + [b"x"] * 12)
	    elif path == b"events":
	        pieces(c, [ok + b"Content-Type: text/event-stream;x=y\r\n\r\n",
	                   b"data: 1\n\n", b"data: 2\n\n"], 4)
	        return False
	    elif path == b"":
	        c.sendall(OK)
	    else:
	        done.wait(60)
	agent = Agent(9010, answer)
	def ask(path):
	    return Client(port).ask(path=b"/jolokia/" + path)
	waiting = {path: ask(path) for path in
	           (b"silent", b"head", b"interim", b"body", b"chunks",
	            b"steady", b"events")}
	write = Client(port).ask(b"POST", b"/jolokia/write", WRITE)
	deaf = Client(port).send(
	    b"POST /jolokia/deaf HTTP/1.1\r\nHost: localhost\r\n"
	    b"Content-Length: %d\r\n\r\n[" % (64 << 20))
	deaf.s.settimeout(0.5)
	try:
	    while True:
	        deaf.s.send(b" " * 65536)
	except OSError:
	    pass
	deaf.s.settimeout(30)
	assert Client(port).ask().answer()[0] == 200
	def fails(c, text):
	    status, head, body = c.answer()
	    assert status == 504, (text, status)
	    assert header(head, b"connection") == b"close", head
	    assert text in body and b"within 2 s (--timeout)" in body, body
	    assert c.is_closed(), text
	fails(waiting[b"silent"], b"http://127.0.0.1:9010/jolokia: the Jolokia agent "
	      b"sent no response")
	fails(waiting[b"head"], b"sent no response")
	fails(waiting[b"interim"], b"sent no response")
	fails(write, b"the request may have been executed")
	fails(deaf, b"the Jolokia agent read no more of the request")
	for path in b"body", b"chunks":
	    try:
	        got = waiting[path].answer()
	        raise SystemExit("%s passes for whole: %s" % (path, got))
	    except (EOFError, ConnectionError):
	        pass
	assert waiting[b"steady"].answer()[2] == b"x" * 12
	assert waiting[b"events"].answer()[2] == b"data: 1\n\ndata: 2\n\n"
	done.set()
	assert Client(port).ask().answer()[0] == 200
END
	{ cat "$proxy_said"; exit 1; }
# One message for all of them: the first one.
grep -q ': the Jolokia agent .* within 2 s (--timeout)' "$proxy_said" ||
	{ cat "$proxy_said"; exit 1; }
proxy_end TERM
