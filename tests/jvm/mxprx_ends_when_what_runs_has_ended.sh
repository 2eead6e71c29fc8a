#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Told to end, mxprx takes no more clients, closes those that ask for nothing,
# and passes on what is still coming; told again, it ends at once.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

# ends HOW STATUS: "once" or "again", as it is told to
ends() {
	proxy -s 127.0.0.1:9010 -b 0 || return
	PYTHONPATH=tests/jvm/lib timeout 60 python3 - "$proxy_port" "$proxy" \
		"$1" <<-'END'
		import signal, sys
		from stand_in import *
		port, pid, how = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
		jvm = Jvm(9010)
		idle = greeted(port)
		ask(idle, LOOKUP, returned(server_stub(b"127.0.0.1", port)))
		busy = greeted(port)
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
		    os.kill(pid, signal.SIGTERM)
		    assert len(rest_of(busy)) < len(whole) - 500
		else:
		    assert ends(idle), "who asks for nothing stays"
		    assert got + rest_of(busy) == whole
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

ends once 0 && ends again 143
