#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Agents that are silent, slow, endless, cut, huge, nested too deeply or not Jolokia:
# mx, ttop and mxping with -u, directly and through mxprx, end in time with exit
# status 5 and a message that tells the fault.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY
proxy -u http://127.0.0.1:9010 -b 0 --timeout 1s || exit 1
PYTHONPATH=tests/jvm/lib timeout 240 python3 - "$sjkc" "$proxy_port" <<-'END' ||
	import subprocess, sys
	from http_stand_in import *
	sjkc, port = sys.argv[1], int(sys.argv[2])
	ok = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	chunked = ok + b"Transfer-Encoding: chunked\r\n\r\n"
	done = threading.Event()
	def forever(c, piece, pause=0):
	    while not done.is_set():
	        c.sendall(piece)
	        time.sleep(pause)
	def whole(body):
	    return ok + b"Content-Length: %d\r\n\r\n" % len(body) + body
	def chunk(piece):
	    return b"%x\r\n" % len(piece) + piece + b"\r\n"
	# What an agent does, and the messages: directly, and through mxprx.
	faults = {
	    b"silent": (lambda c: done.wait(60), "no response arrived within",
	                "no response arrived within|HTTP 504"),
	    b"slow": (lambda c: (c.sendall(chunked),
	                         forever(c, chunk(b"["), 0.1)),
	              "no response arrived within", None),
	    b"cut": (lambda c: (c.sendall(ok + b"Content-Length: 9\r\n\r\n["),
	                        c.shutdown(socket.SHUT_RDWR)),
	             "the connection was lost", None),
	    b"cut_chunks": (lambda c: (c.sendall(chunked + chunk(b"[")),
	                               c.shutdown(socket.SHUT_RDWR)),
	                    "the connection was lost", None),
	    b"endless": (lambda c: (c.sendall(chunked),
	                            forever(c, chunk(b" " * (1 << 20)))),
	                 "the response is larger than 64 MiB|"
	                 "no response arrived within", None),
	    b"html": (lambda c: c.sendall(whole(b"<html><p>hello")),
	              "HTTP, but not Jolokia: the response is an HTML page",
	              None),
	    b"text": (lambda c: c.sendall(whole(b"hello")),
	              "HTTP, but not Jolokia: the response is not JSON", None),
	    b"json": (lambda c: c.sendall(whole(b'{"name":"search"}')),
	              "the response is not Jolokia's|not Jolokia", None),
	    b"broken": (lambda c: c.sendall(whole(b'[{"value":]')),
	                "it is not JSON", None),
	    b"deep": (lambda c: c.sendall(whole(b"[" * 10 ** 6)),
	              "nested more than 256 levels deep", None),
	    b"ssh": (lambda c: c.sendall(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"),
	             "the server does not speak HTTP",
	             "invalid response: this is not HTTP"),
	    b"head": (lambda c: c.sendall(ok + b"X: " + b"x" * (1 << 20)),
	              "a header of the response is too large",
	              "the head is larger than 16 KiB"),
	}
	def answer(c, head, body):
	    fault = faults.get(head.split()[1].split(b"/")[1])
	    if fault:
	        fault[0](c)
	    else:  # the usual paths, which mxping tries
	        c.sendall(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")
	    return False
	agent = Agent(9010, answer)
	commands = (["mx", "-b", "java.lang:type=Runtime", "--get", "-f",
	             "VmName"], ["ttop", "--batch", "--iterations", "1"],
	            ["mxping"])
	failed = 0
	for fault, (_, direct, proxied) in faults.items():
	    for at, wanted in (("9010/%s", direct),
	                       ("%d/jolokia/%%s" % port, proxied or direct)):
	        url = "http://127.0.0.1:" + at % fault.decode()
	        running = [subprocess.Popen(
	            [sjkc, c[0], "-u", url, "--timeout", "1s"] + c[1:],
	            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
	            for c in commands]
	        for p in running:
	            said = p.communicate(timeout=60)[0]
	            # No agent is at a URL whose response is not Jolokia's.
	            is_other = fault in (b"html", b"text", b"json")
	            if p.returncode != (3 if is_other else 5) or not any(
	                    w in said for w in wanted.split("|")):
	                print(p.args[1], url, p.returncode, wanted)
	                print(said)
	                failed += 1
	# mxprx gives up first, and the client prints its reason.
	said = subprocess.run(
	    [sjkc, "mx", "-u", "http://127.0.0.1:%d/jolokia/silent" % port,
	     "--timeout", "30s"] + commands[0][1:], capture_output=True,
	    text=True).stderr
	done.set()
	assert "the Jolokia agent sent no response within 1 s" in said, said
	said = subprocess.run(
	    [sjkc, "mxping", "-u", "http://127.0.0.1:%d/jolokia/head" % port],
	    capture_output=True, text=True).stdout
	assert "mxprx responds, but not the Jolokia agent behind it" in said, said
	sys.exit(failed)
END
	{ cat "$proxy_said"; exit 1; }
proxy_end TERM
