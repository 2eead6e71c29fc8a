#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Begins early: it waits until slow clients are ended.
# mxprx --http serves more clients than it has workers, and clients that close their
# sending direction; clients that leave during a call keep no worker for which others
# wait; a thousand slow clients and invalid, deep, huge and endless
# requests do not harm a good client.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/proxy.sh

# shellcheck disable=SC3045 # dash and bash have it
ulimit -n 8192 || { echo 'too few open files'; exit 77; }
target_program=Beans
target "$(jdks | head -n 1)" || exit
# shellcheck disable=SC2154 # pid, proxy_port, proxy: the libraries
proxy -p "$pid" --http 0 --timeout 200s --max-clients 2000 \
	--max-clients-per-host 2000 || exit 1
PYTHONPATH=tests/jvm/lib timeout 240 python3 - "$proxy_port" "$proxy" \
	<<-'END' || { cat "$proxy_said"; exit 1; }
	import json, socket, sys
	from http_stand_in import *
	port, pid = int(sys.argv[1]), sys.argv[2]
	INT = json.dumps({"type": "read", "mbean": "sjkc.test:type=Types",
	                  "attribute": "Int"}).encode()
	SLOW = INT.replace(b"type=Types", b"type=Slow").replace(b"Int", b"Slow")

	def post(c, body):
	    return c.ask(b"POST", body=body)

	def is_good(c):
	    status, head, body = post(c, INT).answer()
	    return status == 200 and json.loads(body)["value"] == -2147483648

	def children(pid):
	    with open("/proc/%s/task/%s/children" % (pid, pid)) as children:
	        return children.read().split()

	good = Client(port)
	assert is_good(good)
	# A child of mxprx, which has no key and no connection, starts the workers.
	# Another one opens the files of the JVM.
	nursery = max(children(pid), key=lambda child: len(children(child)))

	def workers():
	    return len(children(nursery))

	# A client that closes its sending direction gets its response.
	half = Client(port)
	half.ask(b"POST", body=INT).s.shutdown(socket.SHUT_WR)
	status, head, answer = half.answer()
	assert json.loads(answer)["value"] == -2147483648, answer
	half.close()

	# Three times as many clients as workers, twice each.
	many = [Client(port) for _ in range(200)]
	for _ in range(2):
	    for c in many:
	        post(c, INT)
	    for c in many:
	        status, head, body = c.answer()
	        assert status == 200, (status, body)
	        assert json.loads(body)["value"] == -2147483648, body
	assert workers() <= 64, workers()
	for c in many:
	    c.close()

	# All workers wait for the JVM when their clients leave.
	write = json.dumps({"type": "write", "mbean": "sjkc.test:type=Slow",
	                    "attribute": "Millis", "value": 200000}).encode()
	assert post(good, write).answer()[0] == 200
	good.close()
	gone = [Client(port) for _ in range(80)]
	for c in gone:
	    post(c, SLOW)
	assert until(lambda: workers() == 64), workers()
	for c in gone:
	    c.close()
	good = Client(port)
	assert is_good(good)
	assert until(lambda: workers() <= 2), workers()

	# Slow clients occupy no worker.
	before = resident_kib(pid)
	starts = [
	    b"", b"POST /jolokia HTTP/1.1\r\nHost: loc",
	    b"POST /jolokia HTTP/1.1\r\nHost: localhost\r\n"
	    b"Content-Length: %d\r\n\r\n" % len(INT) + INT[:-1],
	    b"POST /jolokia HTTP/1.1\r\nHost: localhost\r\n"
	    b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(INT) + INT]
	# At once: mxprx ends clients that send nothing for five seconds, and a
	# thousand connections may take longer.
	slow = [(Client(port).send(start), start) for start in starts * 250]
	for _ in range(100):
	    assert is_good(good)
	assert workers() <= 2, workers()
	grown = resident_kib(pid) - before
	print("|", grown, "KiB more with 1,000 slow clients")
	assert grown < 32 << 10, grown
	for c, start in slow:
	    assert c.status() == (408 if start else None), start
	    c.close()

	def status_of(body):
	    """HTTP status and status of the response."""
	    c = Client(port)
	    status, head, answer = post(c, body).answer()
	    c.close()
	    return status, json.loads(answer)["status"]
	for body in b"", b"x", b"{", b"{}x", b"\xff", b'"type"', b"[1", b"null":
	    status = status_of(body)
	    assert status == (400, 400), (body, status)
	# As deep as a proxy accepts, and deeper; as an argument, and as a value.
	for depth, wanted in (30, 404), (100, 400), (1000, 400), (100000, 400):
	    deep = b"[" * depth + b"]" * depth
	    status = status_of(b'{"type":"exec","mbean":"no:type=X",'
	                       b'"operation":"x","arguments":' + deep + b"}")
	    assert status[1] == wanted, (depth, status)
	    assert is_good(good)
	# More than 16 MiB.
	c = Client(port)
	try:
	    status = post(c, INT[:-1] + b" " * (17 << 20) + b"}").status()
	except OSError:
	    status = None
	assert status in (413, None), status
	c.close()
	c = Client(port)
	post(c, b"[" + b",".join([INT] * 3000) + b"]")
	status, head, body = c.answer()
	assert status == 200 and len(json.loads(body)) == 3000
	c.close()
	# Without an end; after an error, the proxy reads a while what comes.
	c = Client(port)
	try:
	    c.send(b"POST /jolokia HTTP/1.1\r\nHost: localhost\r\n"
	           b"Transfer-Encoding: chunked\r\n\r\n2\r\n[ \r\n")
	    for _ in range(512):
	        c.send(b"10000\r\n" + b" " * 65536 + b"\r\n")
	except OSError:
	    pass
	assert c.status() in (413, None)
	c.close()
	assert is_good(good)
	assert until(lambda: workers() <= 2), workers()
	grown = resident_kib(pid) - before
	assert grown < 64 << 10, grown
END
proxy_end TERM || exit 1
target_end "$pid"
