#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An agent rejects the token of --bearer-file, which has expired: mxprx -u reads the
# file again and repeats the request, whether it reads or writes.  If the file has
# no other token, the client gets the agent's 401.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

echo token-1 >"$scratch/token"
chmod 600 "$scratch/token"
proxy -u http://127.0.0.1:9010/jolokia -b 0 --bearer-file "$scratch/token" ||
	exit 1
PYTHONPATH=tests/jvm/lib timeout 120 python3 - "$proxy_port" \
	"$scratch/token" <<-'END' || { cat "$proxy_said"; exit 1; }
	import os, sys
	from http_stand_in import *
	port, file = int(sys.argv[1]), sys.argv[2]
	valid, executed, rejected = [b"token-1"], [], []
	def answer(c, head, body):
	    if header(head, b"authorization") == b"Bearer " + valid[0]:
	        executed.append(body)
	        c.sendall(OK)
	    else:
	        rejected.append(body)
	        c.sendall(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 6\r\n"
	                  b"WWW-Authenticate: Bearer\r\n\r\ndenied")
	agent = Agent(9010, answer)
	def rotate(token, written=True):
	    valid[0] = token
	    executed.clear()
	    rejected.clear()
	    if written:
	        with open(file + ".new", "wb") as new:
	            new.write(token + b"\n")
	        os.rename(file + ".new", file)
	c = Client(port)
	assert c.ask(b"POST", body=READ).answer()[0] == 200
	# A token that is written while connections are open.
	for i, body in enumerate((READ, WRITE, b"[" + WRITE + b"]")):
	    rotate(b"token-2%d" % i)
	    assert c.ask(b"POST", body=body).answer()[0] == 200, body
	    assert (executed, rejected) == ([body], [body]), (executed, rejected)
	    assert c.ask(b"POST", body=body).answer()[0] == 200
	    assert len(rejected) == 1, rejected
	rotate(b"token-3")
	assert c.ask().answer()[0] == 200
	# In chunks, by a new connection of the agent, and by two clients.
	rotate(b"token-4")
	agent_connections = agent.connections
	chunked = (b"POST /jolokia HTTP/1.1\r\nHost: localhost\r\n"
	           b"Transfer-Encoding: chunked\r\n\r\n2f\r\n" + READ +
	           b"\r\n0\r\n\r\n")
	others = [Client(port).send(chunked) for _ in range(4)]
	assert [o.answer()[0] for o in others] == [200] * 4
	assert executed == [READ] * 4, executed
	# A large request is not kept, but the next one has the new token.
	rotate(b"token-5")
	large = b"[" + b" " * 50000 + READ + b"]"
	status, head, body = c.ask(b"POST", body=large).answer()
	assert status == 502 and b"send the request again" in body, body
	assert c.ask(b"POST", body=large).answer()[0] == 200
	# No newer token, and no file.
	rotate(b"token-6", False)
	status, head, body = c.ask(b"POST", body=WRITE).answer()
	assert status == 502 and b"token of --bearer-file" in body, body
	assert (executed, rejected) == ([], [WRITE]), (executed, rejected)
	os.remove(file)
	assert c.ask(b"POST", body=WRITE).answer()[0] == 502
	rotate(b"token-7")
	assert c.ask(b"POST", body=WRITE).answer()[0] == 200
END
grep -q "$scratch/token: cannot open" "$proxy_said" ||
	{ cat "$proxy_said"; exit 1; }
grep -q 'the Jolokia agent rejected the token of --bearer-file' "$proxy_said" ||
	{ cat "$proxy_said"; exit 1; }
! grep -q 'token-[0-9]' "$proxy_said" "$proxy_printed" || exit 1
proxy_end TERM
