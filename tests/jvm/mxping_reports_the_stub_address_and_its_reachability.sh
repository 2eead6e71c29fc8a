# SPDX-License-Identifier: Apache-2.0
# Begins early: it mostly waits.
# Only in check-all: each reason needs a network of its own; mxping_reaches_the_first_call_or_names_the_obstacle
# has the most frequent ones.
# Through forwarded ports, mxping reports why clients cannot connect to the
# address in the stub, for each possible reason.  The printed fixes work.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
lab_inside && lab_forward 17010 9010 || exit
# The address of a router, in the outer network.
ip address add 10.99.0.9/32 dev lo || exit

# sent_to HOST: starts a JVM whose stubs contain HOST
sent_to() {
	lab_options same || return
	within="nsenter --net=/proc/$inside/ns/net"
	# shellcheck disable=SC2086 # words
	target "$jdk" $lab_options -Djava.rmi.server.hostname="$1"
	status=$?
	within=
	return $status
}

# pinged STATUS HOST:PORT OPTION…: fails unless mxping exits with STATUS
pinged() {
	pinged_for=$1
	shift
	ask "$pinged_for" mxping --timeout 20s -s "$@"
}

# fix_works: fails unless mxping succeeds through the proxy of the printed fix
fix_works() {
	line=$(sed -n 's/.*127.0.0.1:[0-9]*: sjkc \(mxprx .*\)$/\1/p' "$scratch/out")
	[ -n "$line" ] || { echo 'no fix'; cat "$scratch/out"; return 1; }
	: >"$scratch/proxy"
	# shellcheck disable=SC2086 # words
	"$sjkc" $line >"$scratch/proxy" 2>&1 &
	proxy=$!
	target_pids="$target_pids $proxy"
	target_wait "$scratch/proxy" . || return
	if ! ask 0 mxping -s "${line##*-b }"; then
		cat "$scratch/proxy"
		return 1
	fi
	printed 'ok      mbean' && kill $proxy && wait $proxy
}

# The port forward has the same port number as the JVM.
same_number() {
	lab_forward 9010 9010 && number=$forwarder &&
		sent_to "$lab_name" && pinged 5 127.0.0.1:9010 &&
		printed 'failed  server' &&
		printed "$lab_name, port 9010, a name that does not resolve here; the same port of 127.0.0.1" &&
		printed '-> start the JVM with -Djava.rmi.server.hostname=127' &&
		fix_works && pinged 0 127.0.0.1:9010 --force-hostname &&
		target_end "$pid" &&
		sent_to "$lab_address" && pinged 5 127.0.0.1:9010 &&
		printed 'a private address of another network; the same port of' &&
		fix_works && target_end "$pid" && forwarder=$number &&
		lab_unforward
}

# The port forward has another port number.  The registry and the JMX server are
# behind the same port.
another_number() {
	sent_to 169.254.7.7 && pinged 5 127.0.0.1:17010 &&
		printed "an address that is valid only on the JVM's own link; it also answers at 127.0.0.1, port 17010" &&
		fix_works && pinged 0 127.0.0.1:17010 --force-address &&
		target_end "$pid" &&
		sent_to 203.0.113.7 && pinged 5 127.0.0.1:17010 \
			--timeout 6s &&
		printed 'port 9010, which does not answer; it also answers at' &&
		target_end "$pid" &&
		sent_to 0.0.0.0 && pinged 5 127.0.0.1:17010 &&
		printed 'which is not an address to connect to; it also answers at' &&
		target_end "$pid"
}

# Packets to the machine are lost, or there is no route to it.
out_of_reach() {
	ip link add name here type veth peer name there &&
		ip link set here up && ip link set there up &&
		ip address add 203.0.113.1/24 dev here &&
		ip neighbour add 203.0.113.7 lladdr 02:00:00:00:00:01 \
			dev here || return
	pinged 5 203.0.113.7:9010 --timeout 6s && printed 'failed  tcp' &&
		printed 'the connection timed out: packets are lost' &&
		pinged 3 198.51.100.7:9010 && printed 'failed  tcp' &&
		printed 'there is no route to the host'
}

# Behind a router, the stub contains the loopback address.
loopback_behind_a_router() {
	socat TCP-LISTEN:9010,bind=10.99.0.9,fork,reuseaddr \
		TCP:127.0.0.1:17010 &
	router=$!
	target_pids="$target_pids $router"
	sent_to 127.0.0.1 && target_wait_port 10.99.0.9 9010 &&
		pinged 5 10.99.0.9:9010 &&
		printed "a loopback address: for a remote client, the client's own machine; the same port of 10.99.0.9" &&
		fix_works
}

target_wait_port() {
	for _ in $(seq 600); do
		python3 -c 'import socket, sys
socket.create_connection((sys.argv[1], int(sys.argv[2])), 1)' "$1" "$2" \
			2>/dev/null && return
		sleep 0.1
	done
	echo "nothing listens on $1:$2"
	return 1
}

# at_9010 STATEMENT: starts a server at the address of the stub, which executes
# the Python statement for each connection c.
at_9010() {
	cat >"$scratch/server.py" <<-END
		import signal, socket
		signal.alarm(300)
		s = socket.socket()
		s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
		s.bind(("127.0.0.1", 9010))
		s.listen()
		print("up", flush=True)
		kept = []
		while True:
		    c, _ = s.accept()
		    kept.append(c)
		    $1
	END
	: >"$scratch/up"
	python3 "$scratch/server.py" >"$scratch/up" 2>&1 &
	server=$!
	target_pids="$target_pids $server"
	target_wait "$scratch/up" up
}

# met STATEMENT TEXT: with this server there, mxping prints TEXT
met() {
	at_9010 "$1" && pinged 5 127.0.0.1:17010 --timeout 6s &&
		printed 'failed  server' && printed "port 9010, where $2" &&
		printed 'it also answers at 127.0.0.1, port 17010'
	status=$?
	kill $server
	wait $server 2>/dev/null
	return $status
}

# Another server is at the address of the stub.  The JVM is that of
# loopback_behind_a_router.
other_servers() {
	kill "$router"
	wait "$router" 2>/dev/null
	pinged 5 127.0.0.1:17010 && printed 'port 9010, where nothing listens' &&
		met pass 'the server accepts the connection, but sends nothing' &&
		met 'c.recv(100); c.close(); kept.clear()' \
			'the server closes the connection without a reply' &&
		met 'c.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")' \
			'a web server listens' &&
		met 'c.sendall(b"\x15\3\3\0\2\2\x28")' \
			'the server speaks TLS, which the stub does not announce' &&
		met 'c.sendall(b"SSH-2.0-x\r\n")' \
			'something other than RMI listens (Java clients report: non-JRMP' || return
	target_end "$pid"
}

# The registry and the JMX server have two ports, and the port forward of the
# second leads to the first, or is missing.
two_ports() {
	lab_jvm "$jdk" different local &&
		lab_forward 9011 9010 && pinged 5 127.0.0.1:17010 &&
		printed 'failed  version' && printed 'NoSuchObjectException' &&
		printed 'where another JVM answers, or another port of this' &&
		printed '-> a port forward may lead to the registry instead' &&
		ask 5 mx -s 127.0.0.1:17010 -b java.lang:type=Runtime --get &&
		said 'try --force-hostname' &&
		lab_unforward && pinged 5 127.0.0.1:17010 &&
		printed 'port 9011, where nothing listens' &&
		printed 'forward port 9011 as well, under the same number' &&
		printed '--kubectl POD:PORT' &&
		lab_forward 9011 9011 && pinged 0 127.0.0.1:17010 &&
		target_end "$pid" && lab_unforward
}

# The JMX server is not the JDK's: its sessions have their own port.
sessions() {
	within="nsenter --net=/proc/$inside/ns/net"
	target_program=Sessions target "$jdk" \
		-Djava.rmi.server.hostname=127.0.0.1 -- 9010 9012 9013
	status=$?
	within=
	[ $status -eq 0 ] && lab_forward 9012 9012 && server=$forwarder &&
		pinged 5 127.0.0.1:17010 && printed 'failed  session' &&
		printed 'the JVM opens sessions at 127.0.0.1, port 9013, where' &&
		lab_forward 9013 9013 && pinged 0 127.0.0.1:17010 &&
		printed 'the session is at 127.0.0.1, port 9013, connected to' &&
		lab_unforward && target_end "$pid" &&
		forwarder=$server && lab_unforward
}

ipv6() {
	lab_jvm "$jdk" ipv6 && lab_forward 9010 9010 "$lab_address6" &&
		pinged 5 '[::1]:9010' && printed 'the same port of ::1' &&
		printed 'sjkc mxprx -s [::1]:9010 -b 127.0.0.1:' && fix_works &&
		pinged 0 '[::1]:9010' --force-hostname &&
		printed 'connected to [::1]:9010' &&
		lab_unforward && target_end "$pid"
}

# by_tls SETTING OPTIONS: the printed fix includes these TLS options, and works
by_tls() {
	lab_jvm "$jdk" tls hostname "$1" &&
		pinged 5 127.0.0.1:9010 --cacert "$tls/ca.pem" &&
		printed 'failed  server' &&
		printed 'a name that does not resolve here; the same port' &&
		printed "sjkc mxprx -s 127.0.0.1:9010 --cacert $tls/ca.pem $2" &&
		fix_works && target_end "$pid"
}

tls() {
	lab_forward 9010 9010 && registry=$forwarder &&
		lab_forward 9011 9011 && by_tls '' '-b' &&
		by_tls nosan '--insecure -b' && lab_unforward &&
		forwarder=$registry && lab_unforward
}

check() {
	jdk=$1
	same_number && another_number && loopback_behind_a_router &&
		other_servers && two_ports && sessions && ipv6 && tls
}

out_of_reach || exit
for_each_jdk check
