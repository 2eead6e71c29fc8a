#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Thousands of clients of mxprx (ten in make check-all, two in make check), one after the other and some at a time, each
# with a lookup and a login: neither descriptors nor memory grow.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh

proxy -s 127.0.0.1:9010 -b 0 || exit 1
PYTHONPATH=tests/jvm/lib timeout 900 python3 - "$proxy_port" "$proxy" \
	"${EVERY_JDK:+9000}" \
	<<-'END' || exit 1
	import sys
	from stand_in import *
	port, pid = int(sys.argv[1]), sys.argv[2]
	jvm = Jvm(9010)
	def churn(count):
	    open_ones = []
	    for i in range(count):
	        s = greeted(port)
	        ask(s, LOOKUP, returned(server_stub(b"127.0.0.1", port)))
	        if i % 3 == 0:
	            ask(s, LOGIN, returned(session_stub(b"127.0.0.1", port)))
	        open_ones.append(s)
	        if len(open_ones) == 20:
	            open_ones.pop(i % 20).close()
	    for s in open_ones:
	        s.close()
	    jvm.heard.clear()
	    jvm.connections.clear()
	works(port)
	idle = settled(pid)
	churn(1000)
	assert until(lambda: descriptors(pid) == idle), descriptors(pid)
	before = resident_kib(pid)
	churn(int(sys.argv[3] or 1000))
	assert until(lambda: descriptors(pid) == idle), descriptors(pid)
	grown = resident_kib(pid) - before
	assert grown < 300, "%d KiB more" % grown
	works(port)
END
proxy_end TERM
