#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mxprx warns if a client of another machine sends a password without TLS, and
# if a password is sent to a JVM of another machine without TLS.  With --tls,
# passwords are sent only over TLS, on both connections.  After sending, mxprx's
# memory does not contain the password.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

ip addr add 10.77.0.1/32 dev lo || exit 1
lab_tls || exit 1
from_client='client 10.77.0.1 sends a password without encryption; use --tls-cert'
to_jvm='a password is sent to the JVM without encryption; use --tls'

# clients MODE: runs a fake JVM and clients that log in through the proxy
clients() {
	PYTHONPATH=tests/jvm/lib timeout 300 python3 - "$proxy_port" "$proxy" \
		"$tls" "$1" <<-'END'
		import re, ssl, sys
		from stand_in import *
		port, pid, tls, mode = (int(sys.argv[1]), int(sys.argv[2]),
		                        sys.argv[3], sys.argv[4])
		here = "10.77.0.1"
		jvm = Jvm(9010, b"127.0.0.1", None if mode != "tls" else
		          server_tls(tls + "/server.pem", tls + "/server.key"),
		          here if mode == "remote" else "127.0.0.1")
		secret = b"a-sEcret-%d" % pid
		array = (b"ur" + utf(b"[Ljava.lang.String;") +
		         bytes.fromhex("add256e7e91d7b47") + b"\2\0\0xp\0\0\0\2")
		login = call(SERVER, NEW_CLIENT, array + string(b"u") +
		             string(secret))
		def client(encrypts):
		    s = connect(port, to=here)
		    if not encrypts:
		        return greet(s)
		    context = ssl.create_default_context(cafile=tls + "/ca.pem")
		    context.check_hostname = False
		    return greet(context.wrap_socket(s))
		def heard(what):
		    return any(what in m for c in jvm.heard for m in c)
		def holds(what):
		    """How often mxprx's memory has it."""
		    count = 0
		    with open("/proc/%d/maps" % pid) as maps, \
		            open("/proc/%d/mem" % pid, "rb") as memory:
		        for line in maps:
		            m = re.match(r"(\w+)-(\w+) rw", line)
		            if not m:
		                continue
		            begin, end = (int(x, 16) for x in m.groups())
		            memory.seek(begin)
		            try:
		                count += memory.read(end - begin).count(what)
		            except OSError:
		                pass
		    return count

		s = client(mode in ("tls", "plain"))
		if mode == "plain":
		    # Only the greeting shows that the JVM does not use TLS.
		    s.sendall(LOOKUP)
		    assert s.recv(1 << 16)[:1] == b"Q"
		    s.sendall(login)
		    answer = s.recv(1 << 16)
		    assert b"which --tls requires" in answer, answer
		    assert not heard(NEW_CLIENT), jvm.heard
		    # The password is not sent over a new connection either.
		    s = client(True)
		    s.sendall(login)
		    answer = s.recv(1 << 16)
		    assert b"which --tls requires" in answer, answer
		    assert not heard(NEW_CLIENT), jvm.heard
		    # A client without TLS may only look up the stub.
		    s = client(False)
		    s.sendall(login)
		    answer = s.recv(1 << 16)
		    assert b"this port requires TLS" in answer, answer
		    sys.exit()
		s.sendall(LOOKUP)
		assert s.recv(1 << 16)[:1] == b"Q"
		s.sendall(login)
		assert s.recv(1 << 16)[:1] == b"Q"
		assert heard(secret)
		assert until(lambda: holds(secret) == 0), holds(secret)
	END
}

warns() {
	grep -q "$1" "$proxy_said" || { echo "no warning: $1"; return 1; }
}

silent() {
	! grep 'warning' "$proxy_said"
}

# The client is on another machine and the JVM on this one; then both are on
# others.
proxy -s 127.0.0.1:9010 -b 10.77.0.1:0 --allow 10.77.0.0/16 &&
	clients local && warns "$from_client" &&
	! grep "$to_jvm" "$proxy_said" && proxy_end TERM || exit 1
proxy -s 10.77.0.1:9010 -b 10.77.0.1:0 --allow 10.77.0.0/16 &&
	clients remote && warns "$from_client" && warns "$to_jvm" &&
	proxy_end TERM || exit 1
set -- --tls --tls-cert "$tls/proxy.pem" --tls-key "$tls/proxy.key" \
	--cacert "$tls/ca.pem" -b 10.77.0.1:0 --allow 10.77.0.0/16
proxy -s 127.0.0.1:9010 "$@" && clients tls && silent && proxy_end TERM ||
	exit 1
proxy -s 127.0.0.1:9010 "$@" && clients plain && silent && proxy_end TERM
