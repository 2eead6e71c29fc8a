#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mxprx closes the connections of a thousand clients that send nothing or an
# incomplete message, and serves another client meanwhile.  It rejects clients
# above the limits.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

# shellcheck disable=SC3045 # dash and bash have it
ulimit -n 4096
proxy -s 127.0.0.1:9010 -b 0 --max-clients-per-host 4000 --max-clients 1100 ||
	exit 1
PYTHONPATH=tests/jvm/lib timeout 300 python3 - "$proxy_port" <<-'END' || exit 1
	import sys, time
	from stand_in import *
	port = int(sys.argv[1])
	jvm = Jvm(9010)
	works(port)
	began = time.monotonic()
	said = [b"", b"J", HELLO[:6], HELLO, HELLO + b"\0", HELLO + ENDPOINT[:8],
		b"\x16\3\1"]
	idle = [connect(port) for _ in range(1000)]
	for i, s in enumerate(idle):
	    s.sendall(said[i % len(said)])
	assert is_served(port)
	# Connections with an incomplete message are closed later; the test does
	# not wait for that.
	for i, s in enumerate(idle):
	    rest = rest_of(s)
	    assert rest == b"" or rest[:1] == b"N", rest
	assert time.monotonic() - began > 4, "they were closed at once"
	works(port)

	# Above --max-clients, the next client is rejected, and no other.
	kept = [greeted(port) for _ in range(1100)]
	assert is_sent_away(port), "more clients than --max-clients"
	ask(kept[0], b"R", b"S")
	ask(kept[-1], b"R", b"S")
	for s in kept:
	    s.close()
END
grep -q 'did not complete its greeting in time' "$proxy_said" ||
	{ echo 'they were not reported'; cat "$proxy_said"; exit 1; }
grep -q -- '--max-clients' "$proxy_said" || grep -q 'similar messages' "$proxy_said" ||
	{ echo 'the limit was not reported'; cat "$proxy_said"; exit 1; }
proxy_end TERM || exit 1

# A host may have 64 connections; other hosts are not affected.
proxy -s 127.0.0.1:9010 -b 0 || exit 1
PYTHONPATH=tests/jvm/lib timeout 300 python3 - "$proxy_port" <<-'END' || exit 1
	import sys
	from stand_in import *
	port = int(sys.argv[1])
	kept = [greeted(port, "127.0.0.2") for _ in range(64)]
	assert is_sent_away(port, "127.0.0.2"), "a 65th of one host"
	ask(greeted(port, "127.0.0.3"), b"R", b"S")
	kept.pop().close()
	def again():
	    try:
	        ask(greeted(port, "127.0.0.2"), b"R", b"S")
	        return True
	    except (OSError, EOFError):
	        return False
	assert until(again), "a closed connection still counts"
END
proxy_end TERM
