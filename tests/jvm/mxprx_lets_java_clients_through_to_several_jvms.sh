#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One mxprx serves JVMs of two JDKs whose stubs contain an unknown host name:
# with two ports, with one port behind a port forward, with TLS and a password,
# and with TLS and client certificates.  The JDK's own client reads, calls and
# listens through it without TLS.  Then: a JVM that is restarted, --read-only,
# and TLS for clients.
# shellcheck disable=SC2031 # nothing here is set in a subshell
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/proxy.sh

lab_tls || exit 1
first=$(jdks | head -n 1)
last=$(jdks | tail -n 1)

# here PORT JDK SETTING…: starts a JVM in the outer network.
here() {
	jmx_port=$1 here_jdk=$2
	shift 2
	lab_options "$@" || return
	# shellcheck disable=SC2086 # words
	target "$here_jdk" $lab_options
}

# port_of TITLE: prints the proxy's port for this JVM.
port_of() {
	sed -n "s/^$1 is at .*:\([0-9]*\)\$/\1/p" "$proxy_printed"
}

here 9020 "$first" different hostname || exit 1
two_ports=$pid
here 9030 "$last" tls hostname password && here 9040 "$first" client-cert \
	hostname && lab_inside || exit 1
jmx_port=9010
lab_jvm "$last" same hostname && lab_forward 17010 9010 || exit 1

proxy -s 127.0.0.1:17010 -b 0 -s 127.0.0.1:9020 -b 0 -s 127.0.0.1:9030 -b 0 \
	-s localhost:9040 -b 0 --cacert "$tls/ca.pem" --cert "$tls/client.pem" \
	--key "$tls/client.key" --log || exit 1
different=127.0.0.1:$(port_of 127.0.0.1:9020)
secret=127.0.0.1:$(port_of 127.0.0.1:9030)
listener=$proxy

# clients WORD…: a Java client of each JDK, which connects to all of the
# addresses from one JVM.
clients() {
	for jdk in $(printf '%s\n' "$first" "$last" | sort -u); do
		jmx_client "$jdk" "$@" || return
	done
}

# client_said ADDRESS TEXT: fails unless a line that the last client printed for
# the address has the text.
client_said() {
	awk -v at="at $1" '/^at / { here = $0 == at } here' "$scratch/client" |
		grep -q -- "$2" && return
	echo "$1: not $2, but:"
	cat "$scratch/client"
	return 1
}

# A wrong password is rejected, and the log contains no password.
clients "127.0.0.1:$(port_of 127.0.0.1:17010)" attributes operations \
	notifications \
	-- "$different" attributes operations notifications churn 20 \
	-- user=control:secret "$secret" attributes operations \
	-- "127.0.0.1:$(port_of localhost:9040)" attributes notifications \
	-- user=control:wrong "$secret" shut &&
	client_said "$secret" 'shut: .*Authentication failed' || exit 1
for line in 'newClient	-	-	exception	' 'getAttribute	java.lang:type='; do
	# A call is logged after its reply.
	target_wait "$proxy_printed" "$line" || exit 1
done
! grep -q secret "$proxy_printed" "$proxy_said" ||
	{ echo 'the password is in the log'; exit 1; }

# A restarted JVM has other object identifiers.
target_end "$two_ports"
jmx_client "$first" "$different" shut || exit 1
here 9020 "$last" different hostname || exit 1

proxy -s 127.0.0.1:9020 -b 0 --read-only || exit 1
reader=$proxy
read_only=127.0.0.1:$proxy_port
proxy -s 127.0.0.1:9020 -b 0 --tls-cert "$tls/proxy.pem" \
	--tls-key "$tls/proxy.key" || exit 1
clients "$different" attributes -- "$read_only" attributes filters denied \
	-- "localhost:$proxy_port" shut &&
	client_said "$read_only" 'SecurityException: sjkc: .*--read-only' ||
	exit 1
# TLS for clients; the client uses TLS to the registry or not.
client_tls=trust
clients "localhost:$proxy_port" attributes notifications \
	-- registry=tls "localhost:$proxy_port" attributes operations || exit 1
client_tls=
# A client that does not trust the certificate is rejected, and so is a client
# without TLS.
PYTHONPATH=tests/jvm/lib timeout 300 python3 - "$proxy_port" <<-'END' || exit 1
	import sys
	from stand_in import *
	s = greeted(int(sys.argv[1]))
	s.sendall(LOOKUP)
	assert b"SslRMIClientSocketFactory" in s.recv(1000)
	s.sendall(LOGIN)
	rest = s.recv(1000)
	assert b"SecurityException" in rest and b"requires TLS" in rest, rest
END
proxy_end TERM || exit 1
for proxy in "$reader" "$listener"; do
	proxy_end TERM || exit 1
done
