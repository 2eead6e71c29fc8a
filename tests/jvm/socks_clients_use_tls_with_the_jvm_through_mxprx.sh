#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Only in check-all: 7 s of CPU time.
# The JVM requires TLS and client certificates, and its stubs contain a host
# name that does not resolve here.  Through the SOCKS proxy, clients have TLS
# with the JVM itself.  The proxy rejects connections to other addresses.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/proxy.sh

lab_inside || exit 1
lab_dial_command
lab_tls || exit 1

# socks_client JDK HOST:PORT MODE…: jmx_client through the SOCKS proxy.
socks_client() {
	socks_jdk=$1
	shift
	jmx_client "$socks_jdk" -DsocksProxyHost=127.0.0.1 \
		"-DsocksProxyPort=$proxy_port" -DsocksNonProxyHosts= "$@"
}

# socks_ask HOST PORT: prints the reply code to a SOCKS request for this
# address.
socks_ask() {
	python3 - "$proxy_port" "$1" "$2" <<-'END'
		import socket, sys
		own, host, port = sys.argv[1:]
		s = socket.create_connection(("127.0.0.1", int(own)), 20)
		s.sendall(b"\5\2\0\2")
		assert s.recv(2) == b"\5\0"
		s.sendall(b"\5\1\0\3" + bytes([len(host)]) + host.encode() +
		          int(port).to_bytes(2, "big"))
		print(s.recv(10)[1])
	END
}

refuses() {
	for one in '127.0.0.1 9010' "10.99.0.1 $((rmi_port + 1))" \
		'169.254.169.254 80' "$lab_name 22" 'localhost 9010' ". 9010"; do
		# shellcheck disable=SC2086 # host and port
		answer=$(socks_ask $one)
		[ "$answer" = 2 ] || { echo "$one: $answer"; return 1; }
	done
	target_wait "$proxy_said" 'rejected: no JVM of this proxy' || return
	[ "$(socks_ask "$lab_name" "$rmi_port")" = 0 ] &&
		[ "$(socks_ask 10.99.0.1 9010)" = 0 ]
}

# The registry and the JMX server require a client certificate.
by_certificate() {
	lab_jvm "$1" client-cert hostname || return
	proxy --via "$lab_dial" -s "$lab_address:9010" --socks 0 \
		--cacert "$tls/ca.pem" --cert "$tls/client.pem" \
		--key "$tls/client.key" || return
	target_wait "$proxy_said" "sends clients to $lab_name, port 9010" ||
		return
	client_tls='registry show'
	socks_client "$1" "$lab_address:9010" attributes || return
	# A client without a certificate is rejected, so the proxy does not
	# present its own.
	client_tls='registry trust'
	socks_client "$1" "$lab_address:9010" shut || return
	client_tls=
	target_end "$pid"
	proxy_end TERM
}

# The JVM chose its second port, and its host name does not resolve.  A
# restarted JVM chooses another port.
by_name() {
	lab_jvm "$1" random hostname || return
	proxy --via "$lab_dial" -s "$lab_address:9010" --socks 0 || return
	target_wait "$proxy_said" "sends clients to $lab_name, port" || return
	socks_client "$1" "$lab_address:9010" attributes notifications ||
		return
	rmi_port=$(sed -n 's/.*sends clients to .*, port //p' "$proxy_said")
	refuses || return
	target_end "$pid"
	lab_jvm "$1" random hostname || return
	sleep 5 # the proxy looks up the stub at most this often
	socks_client "$1" "$lab_address:9010" loop 10 || return
	target_end "$pid"
	proxy_end TERM
}

for jdk in $(jdks); do
	by_certificate "$jdk" && by_name "$jdk" || exit 1
done
