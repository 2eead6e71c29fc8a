# SPDX-License-Identifier: Apache-2.0
# TLS of the registry and the JMX server, or of the JMX server alone.  mxping
# passes all steps if TLS is configured correctly.  Otherwise it names the
# problem, and the printed fix works.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
lab_inside && lab_tls || exit

# asked STATUS OPTION…: runs mxping in the JVM's network, and fails unless it
# exits with STATUS
asked() {
	asked_trusting "$tls/ca.pem" "$@"
}

# asked_trusting FILE STATUS ARGUMENT…: the same with other trusted certificates
asked_trusting() {
	asked_ca=$1 asked_for=$2
	shift 2
	within_lab timeout 300 "$sjkc" mxping -s "$lab_address:$jmx_port" \
		--cacert "$asked_ca" --timeout 30s "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	[ $status -eq "$asked_for" ] && return
	echo "$*: exit status $status, not $asked_for"
	cat "$scratch/out" "$scratch/err"
	return 1
}

# The JMX server uses TLS, the registry does not.
server_alone() {
	lab_jvm "$1" tls && asked 0 && printed 'ok      server-tls' &&
		printed 'port 9011, over TLS' && printed 'TLSv1.3' &&
		printed 'certificate of CN=sjkc test server by CN=sjkc test CA' &&
		printed 'IP Address:10.99.0.1' && printed ' (1 day left)' &&
		printed 'the certificate is trusted and valid for 10.99.0.1' &&
		asked_trusting "$tls/client.pem" 5 &&
		printed 'failed  server-tls' &&
		printed 'is not trusted' &&
		printed "the issuer of the JVM's certificate is not trusted" &&
		openssl_command_of_the_fix_works && asked_trusting \
			"$tls/client.pem" 0 --insecure &&
		printed '--insecure accepts a certificate that is not trusted' &&
		ask 0 mxping -p "$pid" --cacert "$tls/ca.pem" &&
		printed 'TLS except for the registry, no password' &&
		printed 'com.sun.management.jmxremote.ssl=true' &&
		printed "tested from the JVM's own network; clients elsewhere" &&
		silence_is_not_another_server && target_end "$pid"
}

# A port in front of the JVM lets plain connections through and never replies to
# TLS, like a JVM that is short of CPU.
silence_is_not_another_server() {
	cat >"$scratch/silent.py" <<-'END'
		import signal, socket, sys, threading
		signal.alarm(120)
		def copy(a, b):
		    while data := a.recv(65536):
		        b.sendall(data)
		def serve(c):
		    if c.recv(1, socket.MSG_PEEK) == b"\x16":
		        signal.pause()
		    jvm = socket.create_connection((sys.argv[1], 9010))
		    threading.Thread(target=copy, args=(jvm, c), daemon=True).start()
		    copy(c, jvm)
		    jvm.shutdown(socket.SHUT_WR)
		s = socket.create_server((sys.argv[1], 9020))
		print("up", flush=True)
		kept = []
		while True:
		    kept.append(s.accept()[0])
		    threading.Thread(target=serve, args=kept[-1:], daemon=True).start()
	END
	: >"$scratch/up"
	# within_lab would be a shell, which ends without python3.
	nsenter --net="/proc/$inside/ns/net" python3 "$scratch/silent.py" \
		"$lab_address" >"$scratch/up" 2>&1 &
	silent=$!
	target_pids="$target_pids $silent"
	target_wait "$scratch/up" up || return
	jmx_port=9020
	asked 5 --force-address --timeout 8s && printed 'failed  server-tls' &&
		printed 'the TLS handshake timed out'
	status=$?
	jmx_port=9010
	target_end "$silent"
	return $status
}

# The command of the fix saves a certificate that mxping then trusts.
openssl_command_of_the_fix_works() {
	line=$(sed -n 's/.*: \(openssl s_client .*\); then.*/\1/p' \
		"$scratch/out")
	[ -n "$line" ] || { echo 'no command'; return 1; }
	(cd "$scratch" && within_lab sh -c "$line" 2>"$scratch/openssl") ||
		{ cat "$scratch/openssl"; return 1; }
	asked_trusting "$scratch/jvm.pem" 0
}

with_a_certificate_of_ours() {
	lab_jvm "$1" client-cert && asked 4 && printed 'failed  tls' &&
		printed 'TLSv1.3, which requests a client certificate' &&
		printed 'the JVM requires a client certificate' &&
		printed '-> use --cert FILE' &&
		asked 0 --cert "$tls/client.pem" --key "$tls/client.key" &&
		printed 'a client certificate, but no password' &&
		asked 4 --cert tests/data/tls/client.pem &&
		printed 'failed  tls' &&
		printed 'the JVM rejects the client certificate' &&
		ask 4 mxping -p "$pid" --cacert "$tls/ca.pem" &&
		printed 'TLS, a client certificate, no password' &&
		target_end "$pid"
}

# With TLS 1.2, the JVM rejects a client during the handshake, with other
# alerts.
with_tls_1_2() {
	lab_options client-cert || return
	within="nsenter --net=/proc/$inside/ns/net"
	# shellcheck disable=SC2086 # words
	target "$1" $lab_options -Djdk.tls.server.protocols=TLSv1.2
	status=$?
	within=
	[ $status -eq 0 ] && asked 4 && printed 'failed  tls' &&
		printed 'TLSv1.2, which requests a client certificate' &&
		printed 'the JVM requires a client certificate' &&
		asked 4 --cert tests/data/tls/client.pem &&
		printed 'the JVM rejects the client certificate' &&
		asked 0 --cert "$tls/client.pem" --key "$tls/client.key" &&
		target_end "$pid"
}

with_a_wrong_one() {
	lab_jvm "$1" tls-registry nosan && asked 5 && printed 'failed  tls' &&
		printed 'it is not valid for host 10.99.0.1' &&
		printed "is for DNS:other.example.invalid, not for 10.99.0.1" &&
		printed 'enableEndpointIdentification=false' &&
		asked 0 --insecure && printed 'not valid for 10.99.0.1' &&
		asked 0 --tls-server-name other.example.invalid &&
		asked 5 --tls-server-name another.example.invalid &&
		printed 'it is not valid for host another.example.invalid' &&
		target_end "$pid" &&
		lab_jvm "$1" tls expired && asked 5 &&
		printed 'failed  server-tls' && printed 'it expired on 2' &&
		printed "the JVM's certificate has expired" &&
		asked 0 --insecure && target_end "$pid"
}

# The password is sent over TLS.
with_a_password() {
	lab_jvm "$1" tls-registry password || return
	SJKC_PASSWORD=secret
	export SJKC_PASSWORD
	asked 0 --user monitor && printed 'JMX works, over TLS, with a password' &&
		target_end "$pid"
	status=$?
	unset SJKC_PASSWORD
	return $status
}

check() {
	server_alone "$1" && with_a_certificate_of_ours "$1" &&
		with_tls_1_2 "$1" && with_a_wrong_one "$1" && with_a_password "$1"
}

for_each_jdk check
