# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced before target.sh by tests of JVMs in an unreachable network, of which
# one port is forwarded.
# shellcheck disable=SC2154 # variables of the caller
#
#	. tests/jvm/lib/lab.sh
#	lab_enter "$0" "$@"		# runs the test in the outer network
#	. tests/jvm/lib/target.sh
#	. tests/jvm/lib/attach.sh
#	lab_inside			# makes the JVMs' network: 10.99.0.1, fd99::1
#	lab_jvm JDK same		# $pid, $jmx_port 9010, $rmi_port 9010
#	lab_forward 17010 "$jmx_port"	# 127.0.0.1:17010 is its JMX port
#	jmx_client JDK 127.0.0.1:17010 attributes
#
# The test itself runs in a network namespace, too, the outer network.  It has
# no routes, so connections to the inner network fail immediately, and tests
# that run at the same time can use the same ports.  Both namespaces end with
# their last process.

# The pod's address, and its host name, which does not resolve outside.
lab_address=10.99.0.1
lab_address6=fd99::1
lab_name=pod-7f.example.invalid

# lab_enter "$0" "$@": starts the test again in the outer network, which has
# only a loopback interface.
lab_enter() {
	[ "${LAB_OUTSIDE-}" != "$1" ] || return 0
	[ "$(id -u)" -eq 0 ] || { echo 'not root'; exit 77; }
	for tool in ip nsenter python3 openssl socat; do
		command -v $tool >/dev/null || { echo "no $tool"; exit 77; }
	done
	export LAB_OUTSIDE="$1"
	# shellcheck disable=SC2016 # for the inner shell
	exec unshare --net sh -c 'ip link set lo up && exec sh "$@"' - "$@"
}

# lab_tls: makes certificates in $tls/NAME.pem, with $tls/NAME.key and, for
# Java, $tls/NAME.p12 (password "changeit"): ca, server (all names and addresses
# of the pod and of this machine), nosan (another host), expired, client, and
# proxy (this machine).  The tests of one run share them.
lab_tls() {
	tls=${results:-$scratch}/tls
	mkdir -p "$tls"
	[ -e "$tls/done" ] || lab_tls_make 9>"$tls/lock"
}

lab_tls_make() {
	flock 9
	[ ! -e "$tls/done" ] || return 0
	here=DNS:localhost,IP:127.0.0.1,IP:::1
	{
		openssl req -x509 -newkey ec -pkeyopt \
			ec_paramgen_curve:prime256v1 -nodes -days 2 \
			-subj '/CN=sjkc test CA' -keyout "$tls/ca.key" \
			-out "$tls/ca.pem" && lab_store ca &&
			lab_certificate server 2 \
				"$here,IP:$lab_address,IP:$lab_address6,DNS:$lab_name" &&
			lab_certificate nosan 2 DNS:other.example.invalid &&
			lab_certificate expired -1 "$here,IP:$lab_address" &&
			lab_certificate client 2 DNS:client.example.invalid &&
			lab_certificate proxy 2 "$here" && : >"$tls/done"
	} >"$tls/said" 2>&1 || { cat "$tls/said"; return 1; }
}

# lab_certificate NAME DAYS SANS: makes a certificate that the CA has signed.
lab_certificate() {
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
		-subj "/CN=sjkc test $1" -keyout "$tls/$1.key" \
		-out "$tls/$1.csr" &&
		echo "subjectAltName=$3" >"$tls/$1.ext" &&
		openssl x509 -req -in "$tls/$1.csr" -CA "$tls/ca.pem" \
			-CAkey "$tls/ca.key" -CAcreateserial -days "$2" \
			-extfile "$tls/$1.ext" -out "$tls/$1.pem" &&
		lab_store "$1"
}

# lab_store NAME: makes NAME.p12.  Java trusts the first certificate of every
# entry of a trust store, even of an entry with a private key.  So the CA's
# store can have its key, and openssl can write it.
lab_store() {
	openssl pkcs12 -export -inkey "$tls/$1.key" -in "$tls/$1.pem" \
		-name "$1" -passout pass:changeit -out "$tls/$1.p12"
}

# lab_inside: makes the inner network, where the JVMs run, and sets $inside to
# the process that keeps it for half an hour.  Only the inner network has the
# address 10.99.0.1.
lab_inside() {
	cat >"$scratch/inside" <<-END
		ip link set lo up &&
		ip address add $lab_address/32 dev lo &&
		ip address add $lab_address6/128 dev lo nodad &&
		: >"$scratch/inside.up" && exec sleep 1800
	END
	rm -f "$scratch/inside.up"
	unshare --net sh "$scratch/inside" >"$scratch/inside.said" 2>&1 &
	inside=$!
	target_pids="$target_pids $inside"
	for _ in $(seq 1200); do
		[ ! -e "$scratch/inside.up" ] || return 0
		sleep 0.05
	done
	cat "$scratch/inside.said"
	return 1
}

# within_lab COMMAND…: runs the command in the inner network.
within_lab() {
	nsenter --net="/proc/$inside/ns/net" "$@"
}

# lab_dial_command: sets $lab_dial to a command for --proxy-command.  It
# connects its standard input and output to {host}:{port} in the inner network,
# as "kubectl exec" or "ssh -W" would.
lab_dial_command() {
	lab_dial="nsenter --net=/proc/$inside/ns/net"
	lab_dial="$lab_dial socat STDIO TCP:{host}:{port}"
}

# lab_forward LOCAL PORT [HOST]…: forwards 127.0.0.1:LOCAL, or [::1]:LOCAL if
# HOST is an IPv6 address, to HOST:PORT in the inner network, until
# lab_unforward or the end of the test.  The last HOST is optional (default:
# 127.0.0.1).  It behaves as "kubectl port-forward": if PORT is closed, the
# connection to LOCAL is accepted and then closed.  Sets $forwarder.
lab_forward() {
	cat >"$scratch/forward.py" <<-'END'
		import asyncio, ctypes, functools, os, signal, socket, sys
		holder, up, *words = sys.argv[1:]
		signal.alarm(1800)
		if len(words) % 3:
		    words.append("127.0.0.1")
		outsides = []
		for local, port, host in zip(*[iter(words)] * 3):
		    is_v6 = ":" in host
		    family = socket.AF_INET6 if is_v6 else socket.AF_INET
		    s = socket.socket(family)
		    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
		    s.bind(("::1" if is_v6 else "127.0.0.1", int(local)))
		    s.listen(100)
		    outsides.append((s, host, port))
		# A socket belongs to the namespace that created it, so the
		# listeners stay in the outer network.
		libc = ctypes.CDLL(None, use_errno=True)
		with open("/proc/%s/ns/net" % holder) as network:
		    if libc.setns(network.fileno(), 0x40000000):
		        sys.exit(os.strerror(ctypes.get_errno()))

		async def pump(reader, writer):
		    try:
		        while data := await reader.read(65536):
		            writer.write(data)
		            await writer.drain()
		        writer.write_eof()
		    except OSError:
		        writer.close()

		async def forward(host, port, reader, writer):
		    try:
		        far, near = await asyncio.open_connection(host, port)
		    except OSError as error:
		        print(error, flush=True)
		        writer.close()
		        return
		    await asyncio.gather(pump(reader, near), pump(far, writer))
		    near.close()
		    writer.close()

		async def main():
		    for s, host, port in outsides:
		        await asyncio.start_server(
		            functools.partial(forward, host, port), sock=s)
		    open(up, "w").close()
		    await asyncio.Event().wait()

		asyncio.run(main())
	END
	rm -f "$scratch/forward.up"
	python3 "$scratch/forward.py" "$inside" "$scratch/forward.up" "$@" \
		>"$scratch/forward.said" 2>&1 &
	forwarder=$!
	target_pids="$target_pids $forwarder"
	for _ in $(seq 1200); do
		[ ! -e "$scratch/forward.up" ] || return 0
		kill -0 "$forwarder" 2>/dev/null || break
		sleep 0.05
	done
	cat "$scratch/forward.said"
	return 1
}

# lab_unforward: ends the last lab_forward.
lab_unforward() {
	kill "$forwarder"
	wait "$forwarder" 2>/dev/null
	return 0
}

# lab_options SETTING…: sets $lab_options to the JVM options; a later setting
# overrides an earlier one.  Without a setting of the host name, the JVM's stubs
# contain its address in the inner network, as those of a pod do.
#
#	same, different, random	the port of the JMX server beside the registry's
#	hostname		stubs contain a name that is unknown outside
#	local			stubs contain 127.0.0.1
#	password		monitor/secret may read, control/secret may write
#	tls			TLS for the JMX server, on a different port
#	tls-registry		TLS for the JMX server and the registry
#	client-cert		the same, and clients must present a certificate
#	nosan, expired		TLS with an unsuitable certificate
#	ipv6			only an IPv6 address
lab_options() {
	jmx=-Dcom.sun.management.jmxremote
	jmx_port=${jmx_port-9010} rmi_port=${jmx_port-9010}
	lab_host=$lab_address lab_key=server
	security="$jmx.ssl=false" login="$jmx.authenticate=false" bound=
	for setting in "$@"; do
		case $setting in
		same) rmi_port=$jmx_port ;;
		different) rmi_port=$((jmx_port + 1)) ;;
		random) rmi_port= ;;
		hostname) lab_host=$lab_name ;;
		local) lab_host=127.0.0.1 ;;
		password) lab_login ;;
		tls) lab_secure tls; rmi_port=$((jmx_port + 1)) ;;
		tls-registry | client-cert) lab_secure "$setting" ;;
		nosan | expired) lab_key=$setting ;;
		ipv6) lab_host=$lab_address6 bound="$jmx.host=$lab_address6" ;;
		*) echo "no setting $setting"; return 1 ;;
		esac || return
	done
	lab_options="$jmx.port=$jmx_port ${rmi_port:+$jmx.rmi.port=$rmi_port}
		$bound $security $login -Dtarget.seconds=1800
		-Djava.rmi.server.hostname=$lab_host"
	case $security in
	*keyStore*) lab_options="$lab_options
		-Djavax.net.ssl.keyStore=$tls/$lab_key.p12" ;;
	esac
}

lab_login() {
	printf '%s secret\n' monitor control >"$scratch/passwords"
	cat >"$scratch/access" <<-END
		monitor readonly
		control readwrite \\
			create javax.management.timer.Timer unregister
	END
	chmod 600 "$scratch/passwords" "$scratch/access"
	login="$jmx.authenticate=true $jmx.password.file=$scratch/passwords
		$jmx.access.file=$scratch/access"
}

# lab_secure tls|tls-registry|client-cert: sets $security to the TLS options.
lab_secure() {
	lab_tls || return
	security="$jmx.ssl=true -Djavax.net.ssl.keyStorePassword=changeit"
	[ "$1" = tls ] || security="$security $jmx.registry.ssl=true"
	[ "$1" != client-cert ] || security="$security
		$jmx.ssl.need.client.auth=true
		-Djavax.net.ssl.trustStore=$tls/ca.p12
		-Djavax.net.ssl.trustStorePassword=changeit"
}

# lab_jvm JDK SETTING… [-- ARGUMENT…]: starts a JVM in the inner network and
# waits until it is ready.  Sets $pid, $jmx_port and $rmi_port, which is empty
# if the JVM chooses the port.
lab_jvm() {
	lab_jvm_start "$@" && target_ready && target_find
}

# lab_jvm_start JDK …: like lab_jvm, but does not wait.
lab_jvm_start() {
	lab_jdk=$1 lab_settings=
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		lab_settings="$lab_settings $1"
		shift
	done
	# shellcheck disable=SC2086 # words
	lab_options ${lab_settings:-same} || return
	within="nsenter --net=/proc/$inside/ns/net"
	# shellcheck disable=SC2086 # words
	target_start "$lab_jdk" $lab_options "$@"
	status=$?
	# shellcheck disable=SC2034 # for target
	within=
	return $status
}

# client_tls_options: prints the JVM options that $client_tls requires.
client_tls_options() {
	trust="-Djavax.net.ssl.trustStore=${tls-}/ca.p12
		-Djavax.net.ssl.trustStorePassword=changeit"
	case ${client_tls-} in
	*trust) echo "$trust" ;;
	*show) echo "$trust -Djavax.net.ssl.keyStore=$tls/client.p12
		-Djavax.net.ssl.keyStorePassword=changeit" ;;
	esac
}

# jmx_client JDK [JVM-OPTION…] WORD…: runs the JDK's own JMX client in the outer
# network.  Its output is in $scratch/client.  JmxClient.java defines the words
# (HOST:PORT MODE…) and JMX_USER and JMX_PASSWORD.  If $client_tls is "trust",
# the client trusts the CA; if "show", it also presents a certificate; with the
# prefix "registry", it also connects to the registry by TLS.  $jmx_java is a
# command that runs java.
jmx_client() {
	client_classes=$(target_compile "$1" JmxClient) || return
	client_java=$1/bin/java
	shift
	client_options=
	while [ "${1#-}" != "$1" ]; do
		client_options="$client_options $1"
		shift
	done
	case ${client_tls-} in registry*) set -- registry=tls "$@" ;; esac
	# shellcheck disable=SC2046,SC2086 # words
	timeout 660 ${jmx_java-} "$client_java" -Xmx64m -XX:+UseSerialGC \
		-XX:TieredStopAtLevel=1 -XX:-UsePerfData \
		-cp "$client_classes" $(client_tls_options) \
		$client_options JmxClient "$@" >"$scratch/client" 2>&1 && return
	client_status=$?
	echo "JmxClient $*: exit status $client_status"
	cat "$scratch/client"
	return 1
}
