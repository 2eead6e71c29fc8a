#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A thousand clients send a part of a head or of a body, or nothing.  Each
# connection is closed in time, with status 408 if a request had started.  The
# agent sees none of them, another client is served meanwhile, and the memory is
# bounded.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

# shellcheck disable=SC3045 # dash and bash have it
ulimit -n 8192 || { echo 'too few open files'; exit 77; }
proxy -u http://127.0.0.1:9010/jolokia -b 0 --max-clients 2000 \
	--max-clients-per-host 2000 || exit 1
PYTHONPATH=tests/jvm/lib timeout 120 python3 - "$proxy_port" "$proxy" \
	<<-'END' || { cat "$proxy_said"; exit 1; }
	import sys
	from http_stand_in import *
	port, pid = int(sys.argv[1]), sys.argv[2]
	agent = Agent(9010)
	good = Client(port)
	assert good.ask().answer()[0] == 200
	before, asked = resident_kib(pid), agent.connections
	starts = [
	    b"", b"GET /jolokia HTTP/1.1\r\nHost: loc",
	    b"GET /jolokia HTTP/1.1\r\nX: " + b"x" * 15000,
	    b"POST /jolokia HTTP/1.1\r\nHost: localhost\r\n"
	    b"Content-Length: 47\r\n\r\n" + READ[:40],
	    b"POST /jolokia HTTP/1.1\r\nHost: localhost\r\n"
	    b"Transfer-Encoding: chunked\r\n\r\n2f\r\n" + READ]
	began = time.monotonic()
	slow = [(Client(port), starts[i % 5]) for i in range(1000)]
	for c, start in slow:
	    c.send(start)
	slowest = 0
	for _ in range(200):
	    at = time.monotonic()
	    assert good.ask().answer()[0] == 200
	    slowest = max(slowest, time.monotonic() - at)
	    time.sleep(0.005)
	grown = resident_kib(pid) - before
	print("slowest", slowest, "s;", grown, "KiB")
	assert slowest < 1, slowest
	assert grown < 32 << 10, grown
	assert agent.connections <= asked + 1, agent.connections
	# Sending a byte from time to time does not extend the time.
	for _ in range(4):
	    time.sleep(1)
	    for c, start in slow[1::5]:
	        try:
	            c.send(b"a")
	        except OSError:
	            pass
	statuses = {}
	for c, start in slow:
	    c.s.settimeout(20)
	    got = c.status()
	    key = (starts.index(start), got)
	    statuses[key] = statuses.get(key, 0) + 1
	    c.close()
	assert statuses == {(0, None): 200, (1, 408): 200, (2, 408): 200,
	                    (3, 408): 200, (4, 408): 200}, statuses
	took = time.monotonic() - began
	assert 4.5 < took < 30, took
	assert good.ask().answer()[0] == 200
	assert agent.connections <= asked + 1, agent.connections
END
proxy_end TERM || exit 1

# Clients that have received no response yet share 32 MiB; clients that have one
# are not affected.
proxy -u http://127.0.0.1:9010/jolokia -b 0 --max-clients 2000 \
	--max-clients-per-host 2000 || exit 1
PYTHONPATH=tests/jvm/lib timeout 120 python3 - "$proxy_port" "$proxy" \
	<<-'END' || { cat "$proxy_said"; exit 1; }
	import sys
	from http_stand_in import *
	port, pid = int(sys.argv[1]), sys.argv[2]
	agent = Agent(9010)
	good = Client(port)
	assert good.ask().answer()[0] == 200
	before = resident_kib(pid)
	start = (b"POST /jolokia HTTP/1.1\r\nHost: localhost\r\n"
	         b"Content-Length: 66000\r\n\r\n[" + b" " * 60000)
	hungry = [Client(port) for _ in range(1000)]
	refused = 0
	for c in hungry:
	    try:
	        c.send(start)
	    except OSError:
	        pass
	body = b"[" + b" " * 60000 + b"]"
	assert good.ask(b"POST", body=body).answer()[0] == 200
	grown = resident_kib(pid) - before
	print(grown, "KiB")
	assert grown < 80 << 10, grown
	statuses = [c.status() for c in hungry]
	assert set(statuses) <= {503, 408, None}, set(statuses)
	assert statuses.count(503) > 100, statuses.count(503)
	assert statuses.count(408) > 300, statuses.count(408)
	assert good.ask().answer()[0] == 200
END
proxy_end TERM

# The memory of complete requests is limited, too, while they wait for an agent,
# here for its TLS handshake.
proxy -u https://127.0.0.1:9010/jolokia -b 0 --max-clients 2000 \
	--max-clients-per-host 2000 --timeout 10s || exit 1
PYTHONPATH=tests/jvm/lib timeout 120 python3 - "$proxy_port" "$proxy" \
	<<-'END' || { cat "$proxy_said"; exit 1; }
	import sys
	from http_stand_in import *
	port, pid = int(sys.argv[1]), sys.argv[2]
	agent = socket.create_server(("127.0.0.1", 9010), backlog=4096)
	before = resident_kib(pid)
	waiting = [Client(port) for _ in range(1000)]
	body = b"[" + b" " * 60000 + b"]"
	for c in waiting:
	    try:
	        c.ask(b"POST", body=body)
	    except OSError:
	        pass
	grown = resident_kib(pid) - before
	print(grown, "KiB")
	assert grown < 80 << 10, grown
	statuses = [c.status() for c in waiting]
	assert set(statuses) <= {502, 503, None}, set(statuses)
	assert statuses.count(503) > 100, statuses.count(503)
	assert statuses.count(502) > 300, statuses.count(502)
END
proxy_end TERM
