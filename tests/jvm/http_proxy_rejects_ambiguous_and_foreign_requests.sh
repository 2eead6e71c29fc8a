#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mxprx -u rejects requests that two parsers could read differently, that name
# another host, come from a foreign web page, leave the agent's path or are
# oversized.  The agent receives none of them, and valid requests pass
# meanwhile.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/proxy.sh

agent=$(free_port)
proxy -u "http://127.0.0.1:$agent/agent" -b 0 \
	--allow-host proxy.example --allow-origin https://hawtio.example ||
	exit 1
PYTHONPATH=tests/jvm/lib timeout 120 python3 - "$proxy_port" "$agent" \
	<<-'END' || { cat "$proxy_said"; exit 1; }
	import sys
	from http_stand_in import *
	port = int(sys.argv[1])
	agent = Agent(int(sys.argv[2]))
	def heads():
	    return [h.decode() for h in agent.heads]
	def post(headers, body=b""):
	    return (b"POST /jolokia HTTP/1.1\r\nHost: localhost\r\n" +
	            headers + b"\r\n" + body)
	def get(headers=b"", path=b"/jolokia"):
	    return (b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n" +
	            headers + b"\r\n")
	chunked = b"Transfer-Encoding: chunked\r\n"
	browser = b"User-Agent: Mozilla/5.0 (X11) Firefox/60.0\r\n"
	WRITING = b"/jolokia/write/a:b=c/X/1"
	hostile = b"GET /admin HTTP/1.1\r\nHost: localhost\r\n\r\n"
	cases = [
	    # Ambiguous framing, each with a request smuggled behind it.
	    (post(b"Content-Length: 3\r\n" + chunked, b"0\r\n\r\n"), 400),
	    (post(chunked + b"Content-Length: 3\r\n", b"0\r\n\r\n"), 400),
	    (post(b"Content-Length: 3\r\nContent-Length: 4\r\n", READ), 400),
	    (post(b"Content-Length: 4\r\nContent-Length: 4\r\n", READ), 400),
	    (post(b"Content-Length: 4, 4\r\n", READ), 400),
	    (post(b"Content-Length: +4\r\n", READ), 400),
	    (post(b"Content-Length : 4\r\n", READ), 400),
	    (post(b"Content-Length: 99999999999999999999\r\n"), 400),
	    (post(b"Transfer-Encoding: gzip, chunked\r\n", READ), 501),
	    (post(b"Transfer-Encoding: xchunked\r\n", READ), 501),
	    (post(b"Transfer-Encoding: chunked\r\n"
	          b"Transfer-Encoding: x\r\n", READ), 501),
	    (post(b"Transfer-Encoding:\x0bchunked\r\n", READ), 400),
	    (post(chunked, b"-1\r\n" + READ), 400),
	    (post(chunked, b"0x2f\r\n" + READ), 400),
	    (post(chunked, b"2f;x=y\r\n" + READ), 400),
	    (post(chunked, b"2f\n" + READ), 400),
	    (post(chunked, b"2e\r\n" + READ + b"\r\n0\r\n\r\n"), 400),
	    (post(chunked, b"ffffffffffffffff\r\n" + READ), 400),
	    (post(chunked, b"2f\r\n" + READ + b"\r\n0\r\nX: \n\r\n"), 400),
	    # Lines and headers.
	    (get(b"X: a\r\n b\r\n"), 400),
	    (get(b"X : a\r\n"), 400),
	    (get(b"X: a\0b\r\n"), 400),
	    (get(b"X: a\rb\r\n"), 400),
	    (get(b"X\r\n"), 400),
	    (b"GET /jolokia HTTP/1.1\nHost: localhost\n\n", 400),
	    (b"\r\n\r\n" + get(), 400),
	    (b"GET /jolokia HTTP/1.1\r\n\r\n", 400),
	    (get(b"Host: localhost\r\n"), 400),
	    (b"GET /jolokia HTTP/2.0\r\nHost: localhost\r\n\r\n", 505),
	    (b"GET /jolokia\r\n\r\n", 400),
	    (get(b"Expect: 200-ok\r\n"), 417),
	    (get(b"Content-Length: 4\r\n") + b"abcd", 400),
	    (post(b""), 400),
	    # Other hosts, methods and paths.
	    (b"GET http://evil/jolokia HTTP/1.1\r\nHost: localhost\r\n\r\n",
	     400),
	    (b"CONNECT evil:80 HTTP/1.1\r\nHost: evil:80\r\n\r\n", 400),
	    (b"TRACE /jolokia HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
	    (b"PUT /jolokia HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
	    (get(path=b"/"), 404),
	    (get(path=b"/agent"), 404),
	    (get(path=b"/jolokia2"), 404),
	    (get(path=b"/jolokia/../admin"), 400),
	    (get(path=b"/jolokia/%2e%2E/admin"), 400),
	    (get(path=b"/jolokia/..;x/admin"), 400),
	    (get(path=b"/jolokia/..%2fadmin"), 400),
	    (get(path=b"/jolokia/..%5cadmin"), 400),
	    (get(path=b"/jolokia/\\../admin"), 400),
	    (get(path=b"/jolokia/x#y"), 400),
	    # Foreign web pages, and DNS rebinding.
	    (b"GET /jolokia HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
	    (b"GET /jolokia HTTP/1.1\r\nHost: localhost.evil\r\n\r\n", 403),
	    (b"GET /jolokia HTTP/1.1\r\nHost: localhost@evil\r\n\r\n", 403),
	    (b"GET /jolokia HTTP/1.1\r\nHost: \r\n\r\n", 403),
	    (get(b"Origin: http://evil.example\r\n"), 403),
	    (get(b"Origin: null\r\n"), 403),
	    (get(b"Origin: http://localhost:1\r\n"), 403),
	    (get(b"Referer: http://evil.example/x\r\n"), 403),
	    (get(b"Sec-Fetch-Site: cross-site\r\n"), 403),
	    (get(b"Sec-Fetch-Site: same-site\r\n"), 403),
	    # Images and scripts of pages that hide their address.
	    (get(browser, WRITING), 403),
	    (get(browser, b"/jolokia/exec/a:b=c/x"), 403),
	    (get(browser, b"/jolokia?p=/exec/a:b=c/x"), 403),
	    (get(browser, b"/jolokia/version?callback=f"), 403),
	    (get(browser, b"/jolokia?x=1%26%63allback=f"), 403),
	    # Bodies that the agent would decode differently, and empty bodies.
	    (post(b"Content-Type: application/json; charset=utf-16\r\n"
	          b"Content-Length: 47\r\n", READ), 415),
	    (post(b"Content-Type: application/json; charset=gbk\r\n"
	          b"Content-Length: 47\r\n", READ), 415),
	    (post(b"Content-Encoding: gzip\r\nContent-Length: 47\r\n", READ),
	     415),
	    (post(b"Content-Length: 4\r\n", b"p=/x"), 400),
	    (post(b"Content-Length: 46\r\n", READ[:46]), 400),
	    (post(b"Content-Length: 1000001\r\n", b"{" + b"[" * 10 ** 6), 400),
	    (post(b"Content-Length: 1000005\r\n",
	          b'{"x":' + b"[" * 10 ** 6), 400),
	    # Oversized heads and bodies.
	    (post(b"Content-Length: 1073741824\r\n", READ), 413),
	    (get(b"X: " + b"x" * (1 << 20) + b"\r\n"), 431),
	    (get(b"X: x\r\n" * 101), 431),
	]
	def status(raw):
	    c = Client(port)
	    try:
	        c.send(raw)
	    except ConnectionError:
	        pass
	    got = c.status()
	    c.close()
	    return got
	for raw, wanted in cases:
	    got = status(raw + hostile if wanted == 400 else raw)
	    assert got == wanted, (raw[:100], got, wanted)
	# An ambiguous request ends the connection: nothing behind it is read.
	c = Client(port).send(cases[0][0] + hostile)
	assert c.answer()[0] == 400 and c.is_closed()
	time.sleep(0.2)
	assert heads() == [], heads()

	good = (
	    (b"localhost", b""), (b"127.0.0.1:9", b""), (b"[::1]:9", b""),
	    (b"10.1.2.3", b""), (b"PROXY.example:9000", b""),
	    (b"localhost:9", b"Origin: http://localhost:9\r\n"),
	    (b"localhost", b"Origin: https://hawtio.example\r\n"),
	    (b"localhost", b"Referer: http://localhost/x\r\n"),
	    (b"localhost", b"Sec-Fetch-Site: same-origin\r\n"),
	    (b"localhost", b"Connection: Upgrade, HTTP2-Settings\r\n"
	     b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\n"))
	for host, headers in good:
	    assert Client(port).ask(host=host, headers=headers).status() == \
	        200, (host, headers)
	assert until(lambda: len(heads()) == len(good))
	seen = heads()
	own = browser + b"Referer: http://localhost/x\r\n"
	for path, headers in ((WRITING, b"User-Agent: curl/8\r\n"),
	                      (WRITING, own), (b"/jolokia/version", browser),
	                      (b"/jolokia?callback=f", own)):
	    assert Client(port).ask(path=path, headers=headers).status() == \
	        200, (path, headers)
	agent.heads[len(good):] = []
	assert all(h.startswith("GET /agent/ HTTP/1.1\r\n") for h in seen), seen
	assert sum("Origin" in h for h in seen) == 1, seen
	assert "Upgrade" not in seen[-1] and "h2c" not in seen[-1], seen[-1]

	# The proxy removes hop-by-hop headers and headers that proxies add.
	before = len(seen)
	assert Client(port).ask(b"POST", b"/jolokia/?maxDepth=1", READ, headers=(
	    b"Connection: X-Mine\r\nX-Mine: 1\r\nX-Yours: 2\r\nTE: trailers\r\n"
	    b"Keep-Alive: 5\r\nProxy-Authorization: x\r\nCookie: c\r\n"
	    b"X-Forwarded-For: 1.2.3.4\r\nX-Real-IP: 1.2.3.4\r\n"
	    b"Forwarded: for=1.2.3.4\r\nAuthorization: Basic eDp5\r\n"
	    )).status() == 200
	assert until(lambda: len(heads()) > before)
	head = heads()[-1].split("\r\n")
	assert sorted(head[1:]) == sorted([
	    "Host: 127.0.0.1:" + head[1].rsplit(":")[-1],
	    "X-Forwarded-For: 127.0.0.1", "X-Yours: 2", "Cookie: c",
	    "Authorization: Basic eDp5", "Content-Length: 47"]), head
	assert head[0] == "POST /agent/?maxDepth=1 HTTP/1.1", head[0]
END
proxy_end TERM
