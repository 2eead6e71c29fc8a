#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# After a signal, mxprx accepts no more clients, closes idle connections, and
# waits for running calls.  A second signal ends it immediately.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

# ends MODE STATUS: mxprx exits with STATUS after one signal ("once"), after two
# ("again"), or after one with a SOCKS client ("socks")
ends() {
	front=-b
	[ "$1" != socks ] || front=--socks
	proxy -s 127.0.0.1:9010 $front 0 || return
	PYTHONPATH=tests/jvm/lib timeout 300 python3 - "$proxy_port" "$proxy" \
		"$1" <<-'END'
		import signal, sys
		from stand_in import *
		port, pid, how = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
		jvm = Jvm(9010)
		def client():
		    if how != "socks":
		        return greeted(port)
		    s = connect(port)
		    s.sendall(b"\5\1\0")
		    assert take(s, 2) == b"\5\0"
		    s.sendall(b"\5\1\0\1\x7f\0\0\1" + struct.pack(">H", 9010))
		    assert take(s, 10)[1] == 0
		    s.sendall(HELLO)
		    take(s, 3 + 9 + 4)
		    s.sendall(ENDPOINT)
		    return s
		idle = client()
		ask(idle, LOOKUP, returned(server_stub(b"127.0.0.1", port)
		                           if how != "socks" else
		                           server_stub(jvm.host, 9010)))
		busy = client()
		go = threading.Event()
		whole = returned(string(b"x" * 1000))
		def slow():
		    yield whole[:500]
		    go.wait(20)
		    for at in range(500, len(whole), 100):
		        time.sleep(0.1)
		        yield whole[at:at + 100]
		jvm.value = slow
		busy.sendall(DOMAIN)
		got = take(busy, 500)
		os.kill(pid, signal.SIGTERM)
		go.set()
		def gone():
		    try:
		        connect(port).close()
		    except OSError:
		        return True
		assert until(gone), "it takes clients"
		if how == "again":
		    time.sleep(0.3) # one that follows at once is the same
		    os.kill(pid, signal.SIGTERM)
		    assert len(rest_of(busy)) < len(whole) - 500
		else:
		    assert ends(idle), "who asks for nothing stays"
		    got += take(busy, len(whole) - 500)
		    assert got == whole
		    assert ends(busy), "who has asked for all stays"
	END
	status=$?
	for _ in $(seq 1200); do
		ended "$proxy" && break
		sleep 0.05
	done
	ended "$proxy" || { echo 'it goes on'; return 1; }
	wait "$proxy"
	left=$?
	[ $left -eq "$2" ] || { echo "exit status $left, not $2"; return 1; }
	return $status
}

ends once 0 && ends again 143 && ends socks 0
