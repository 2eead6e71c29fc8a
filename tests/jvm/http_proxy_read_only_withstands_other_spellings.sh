#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mxprx -u --read-only lets no spelling of a request change anything in the real
# agent: percent escapes that only the agent decodes, queries inside queries,
# other methods, duplicate keys, other character sets, nested targets.  In their
# normal spelling, reads pass and writes are refused.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh

jolokia_target "$(jdks | head -n 1)" Beans || exit
proxy -u "$url" -b 0 --read-only || exit 1
PYTHONPATH=tests/jvm/lib timeout 120 python3 - "$proxy_port" "$port" \
	<<-'END' || { cat "$proxy_said"; exit 1; }
	import json, sys
	from http_stand_in import *
	port, agent = int(sys.argv[1]), int(sys.argv[2])
	LOGGING = b"java.util.logging:type=Logging"
	SET = b"exec/" + LOGGING + b"/setLoggerLevel/global/SEVERE"
	GET = b"/jolokia/exec/" + LOGGING + b"/getLoggerLevel/global"
	READ = b"read/java.lang:type=Runtime/VmName"
	def level():
	    c = Client(agent).ask(path=GET)
	    got = json.loads(c.answer()[2])["value"]
	    c.close()
	    return got
	def post(body, headers=b"", path=b"/jolokia", method=b"POST"):
	    return (method + b" " + path + b" HTTP/1.1\r\nHost: localhost\r\n" +
	            headers + b"Content-Length: %d\r\n\r\n" % len(body) + body)
	def get(path, headers=b"", method=b"GET"):
	    return (method + b" /jolokia" + path + b" HTTP/1.1\r\n"
	            b"Host: localhost\r\n" + headers + b"\r\n")
	def entry(*members):
	    return b"{" + b",".join(members) + b"}"
	MBEAN = b'"mbean":"%s"' % LOGGING
	ARGUMENTS = b'"arguments":["global","SEVERE"]'
	OPERATION = b'"operation":"setLoggerLevel"'
	EXEC = b'"type":"exec"'
	good = entry(b'"type":"read"', b'"mbean":"java.lang:type=Runtime"',
	             b'"attribute":"VmName"')
	bad = entry(EXEC, MBEAN, OPERATION, ARGUMENTS)
	cases = [
	    get(b"/" + SET), get(b"/" + SET, method=b"HEAD"),
	    get(b"/" + SET, method=b"OPTIONS"),
	    # With "!//", the agent reads the undecoded URI from the first
	    # "/exec/" on.
	    get(b"/%65xec/" + LOGGING + b"/getLoggerLevel/!//" + SET),
	    get(b"/%65xec/" + LOGGING + b"/getLoggerLevel/x!//" + SET),
	    get(b"/e%78ec/" + LOGGING + b"/getLoggerLevel/!%2f/" + SET),
	    get(b"/!exec/" + LOGGING + b"/getLoggerLevel/!//" + SET),
	    get(b"/r%65ad/x/!//" + SET), get(b"//" + SET), get(b"///" + SET),
	    get(b"/%2f" + SET), get(b"/./" + SET), get(b"/%65xec" + SET[4:]),
	    get(b"/e!xec" + SET[4:]), get(b"/EXEC" + SET[4:]),
	    get(b"/exec;x=y" + SET[4:]), get(b"/read/..;/" + SET),
	    get(b"/%2565xec" + SET[4:]), get(b"/exec%00" + SET[4:]),
	    get(b"/read!%0a/../" + SET), get(b"/!%0aexec" + SET[4:]),
	    # Queries.
	    get(b"?p=" + SET), get(b"?p=/" + SET), get(b"/?p=/" + SET),
	    get(b"?%70=" + SET), get(b"?p=%65xec" + SET[4:]),
	    get(b"?x=1%26p=" + SET), get(b"?x=1%26p%3d" + SET),
	    get(b"?x=1%2526p%253d" + SET), get(b"?x=1;p=" + SET),
	    get(b"?p=version&p=" + SET), get(b"?p=" + SET + b"&p=version"),
	    get(b"?p=" + READ + b"%26p=" + SET), get(b"?P=x&p=" + SET),
	    # Other methods by a header, and other paths.
	    get(b"/" + SET, b"X-HTTP-Method-Override: GET\r\n", b"OPTIONS"),
	    get(b"/" + READ, b"Content-Length: 4\r\n") + b"{}{}",
	    post(bad, path=b"/jolokia/" + READ),
	    post(bad, path=b"/jolokia?p=" + READ),
	    post(good, path=b"/jolokia?p=" + SET),
	    post(good, path=b"/jolokia/" + SET),
	    # Bodies.
	    post(bad), post(b"[" + good + b"," + bad + b"]"),
	    post(b"\xef\xbb\xbf" + bad), post(bad.decode().encode("utf-16")),
	    post(bad.decode().encode("utf-16-be")),
	    post(bad, b"Content-Type: text/json; charset=utf-7\r\n"),
	    post(bad.replace(b"exec", b"\\u0065xec")),
	    post(bad.replace(b'"type"', b'"\\u0074ype"')),
	    post(bad.replace(b"exec", b"EXEC")),
	    post(bad.replace(b"exec", b"exec ")),
	    post(bad.replace(b'"type"', b'"Type"')),
	    post(entry(b'"type":"read"', EXEC, MBEAN, OPERATION, ARGUMENTS)),
	    post(entry(EXEC, b'"type":"read"', MBEAN, OPERATION, ARGUMENTS)),
	    post(entry(EXEC, b'"\\u0074ype":"read"', MBEAN, OPERATION,
	               ARGUMENTS)),
	    post(entry(EXEC, MBEAN, b'"operation":"getLoggerLevel"', OPERATION,
	               ARGUMENTS)),
	    post(entry(EXEC, MBEAN, OPERATION, b'"operation":"getLoggerLevel"',
	               ARGUMENTS)),
	    post(entry(EXEC, MBEAN, b'"operation":["setLoggerLevel"]',
	               ARGUMENTS)),
	    post(entry(EXEC, MBEAN, b'"operation":"setLoggerLevel(java.lang.'
	               b'String,java.lang.String)"', ARGUMENTS)),
	    post(entry(EXEC, MBEAN, b'"operation":"getLoggerLevel\\u0000"',
	               ARGUMENTS)),
	    post(bad + good), post(good + bad), post(b"[" + good + b"]" + bad),
	    post(b"[[" + bad + b"]]"), post(b'{"a":' + bad + b"}"),
	    post(bad + b"\0"), post(b"/**/" + bad),
	    post(b"{'type':'exec'}"), post(b"p=" + SET,
	    b"Content-Type: application/x-www-form-urlencoded\r\n"),
	    # Targets.
	    post(entry(b'"type":"read"', b'"mbean":"a:b=c"',
	               b'"target":{"url":"service:jmx:rmi:///jndi/rmi://evil/x"}')),
	    post(entry(b'"type":"read"', b'"mbean":"a:b=c"',
	               b'"\\u0074arget":{"url":"x"}')),
	    post(entry(b'"type":"read"', b'"mbean":"a:b=c"', b'"TARGET":null')),
	]
	assert level() == "", level()
	for raw in cases:
	    c = Client(port).send(raw)
	    try:
	        status = c.answer(not raw.startswith(b"HEAD"))[0]
	    except (EOFError, ConnectionError):
	        status = None
	    c.close()
	    assert level() == "", ("changed", raw)
	    assert status in (400, 403, 415), (raw, status)
	passing = [
	    get(b"/" + READ), get(b"?p=" + READ), get(b"?p=/" + READ), get(b""),
	    get(b"/?maxDepth=2&p=" + READ), get(b"/" + READ + b"?ignoreErrors=true"),
	    get(b"/read/java.lang:type=Runtime/VmName/a!//b"),
	    get(b"/read/java.lang%3atype%3dRuntime/Vm%4eame"),
	    get(GET[8:]), get(b"", method=b"OPTIONS"), get(b"/version"),
	    post(good), post(b" [" + good + b", " + good + b"] \n"),
	    post(good, path=b"/jolokia/?maxDepth=3"),
	    post(good, b"X-HTTP-Method-Override: GET\r\n"),
	    post(entry(EXEC, MBEAN, b'"operation":"getLoggerLevel"',
	               b'"arguments":["global"]')),
	]
	for raw in passing:
	    c = Client(port).send(raw)
	    assert c.answer()[0] == 200, raw
	    c.close()
	# If one of several pipelined requests is refused, the others get
	# responses.
	c = Client(port).send(get(b"/" + READ) + get(b"/" + SET) + post(good) +
	                      post(bad) + get(b"/version"))
	got = [c.answer()[0] for _ in range(5)]
	assert got == [200, 403, 200, 403, 200], got
	assert level() == "", level()
	# Without the proxy, the request works, so the cases above could have
	# failed.
	assert Client(agent).send(get(b"/" + SET)).answer()[0] == 200
	assert level() == "SEVERE", level()
END
proxy_end TERM
