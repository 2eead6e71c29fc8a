#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A proxy that listens on all addresses accepts only clients of --allow and of
# this machine.  Each client gets a stub with the address to which it connected,
# also with IPv6.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

for address in 10.98.0.1/32 10.98.0.2/32 fd98::1/128; do
	ip address add "$address" dev lo || exit 1
done
proxy -s 127.0.0.1:9010 -b '[::]:0' --allow 10.98.0.1 --allow fd98::/16 ||
	exit 1
PYTHONPATH=tests/jvm/lib timeout 300 python3 - "$proxy_port" <<-'END' || exit 1
	import sys
	from stand_in import *
	port = int(sys.argv[1])
	jvm = Jvm(9010)
	def client(address):
	    try:
	        # A rejected client may be reset before connect() returns.
	        s = socket.create_connection((address, port), 20,
	                                     (address, 0))
	        s.sendall(HELLO)
	        head = take(s, 3)
	    except (EOFError, OSError):
	        return None
	    own = take(s, head[2] + 4)[:-4]
	    assert own == address.encode(), own
	    s.sendall(ENDPOINT + LOOKUP)
	    wanted = returned(server_stub(own, port))
	    return take(s, len(wanted)) == wanted
	for address in "10.98.0.1", "127.0.0.1", "fd98::1", "::1":
	    assert client(address), address
	assert client("10.98.0.2") is None
	assert client("10.98.0.1")
END
grep -q 'client 10.98.0.2 rejected: its address is not in a network of --allow' \
	"$proxy_said" || { cat "$proxy_said"; exit 1; }
grep -q 'clients in the networks of --allow can run any code' "$proxy_said" ||
	{ cat "$proxy_said"; exit 1; }
proxy_end TERM

# --max-clients-per-host limits RMI and SOCKS clients.
for way in '-b' '--socks'; do
	proxy -s 127.0.0.1:9010 "$way" 0 --max-clients-of-host 2 || exit 1
	timeout 300 python3 - "$proxy_port" "$way" <<-'END' || exit 1
		import socket, sys
		port, way = int(sys.argv[1]), sys.argv[2]
		hello = b"JRMI\0\2\x4b" if way == "-b" else b"\5\1\0"
		def client(address):
		    try:
		        s = socket.create_connection(
		            ("127.0.0.1", port), 20, (address, 0))
		        s.sendall(hello)
		        return s if s.recv(1) else None
		    except OSError:
		        return None
		both = [client("127.0.0.1") for _ in range(2)]
		assert all(both), way
		assert client("127.0.0.1") is None, way
		assert client("127.0.0.2"), way
	END
	grep -q 'client 127.0.0.1 rejected: .*--max-clients-per-host' "$proxy_said" ||
		{ cat "$proxy_said"; exit 1; }
	proxy_end TERM
done
