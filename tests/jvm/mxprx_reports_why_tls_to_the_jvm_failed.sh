# SPDX-License-Identifier: Apache-2.0
# The JVM requires a client certificate, or its own certificate is not trusted,
# with TLS 1.2 and 1.3.  The proxy and its client report which of the two
# failed, and the advice names --insecure only if it helps.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh
command -v openssl >/dev/null || { echo 'no openssl'; exit 77; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
	-days 2 -subj /CN=localhost -keyout "$scratch/key.pem" \
	-out "$scratch/cert.pem" 2>"$scratch/openssl.said" ||
	{ cat "$scratch/openssl.said"; exit 1; }

cat >"$scratch/server.py" <<-'END'
	# A fake JVM that performs only the TLS handshake and requests a
	# certificate.
	import signal, socket, ssl, sys, threading
	folder, version = sys.argv[1:]
	signal.alarm(300)
	context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
	context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
	context.verify_mode = ssl.CERT_REQUIRED
	context.load_verify_locations(folder + "/cert.pem")
	context.minimum_version = context.maximum_version = (
	    ssl.TLSVersion.TLSv1_2 if version == "1.2" else ssl.TLSVersion.TLSv1_3)
	def serve(c):
	    if c.recv(1, socket.MSG_PEEK) != b"\x16":
	        c.recv(100)
	        c.sendall(b"\x15\3\3\0\2\2\x46")
	    else:
	        try:
	            c = context.wrap_socket(c, server_side=True)
	            c.recv(100)
	        except (ssl.SSLError, OSError):
	            pass
	    c.close()
	server = socket.create_server(("127.0.0.1", 0))
	print(server.getsockname()[1], flush=True)
	while True:
	    c, _ = server.accept()
	    threading.Thread(target=serve, args=[c], daemon=True).start()
END

# reported OPTION TEXT: fails unless a client of a proxy with OPTION receives
# TEXT and the proxy prints it
reported() {
	# shellcheck disable=SC2086 # may be empty
	proxy -s "127.0.0.1:$jvm_port" -b 0 $1 || return
	PYTHONPATH=tests/jvm/lib timeout 300 python3 - "$proxy_port" "$2" <<-'END'
		import sys
		from stand_in import *
		s = greeted(int(sys.argv[1]))
		s.sendall(LOOKUP)
		said = s.recv(65536)
		assert sys.argv[2].encode() in said, said
	END
	reported_status=$?
	{ grep -qF "$2" "$proxy_said" && ! grep -q Success "$proxy_said"; } ||
		{ cat "$proxy_said"; reported_status=1; }
	proxy_end TERM
	return $reported_status
}

for version in 1.2 1.3; do
	: >"$scratch/port"
	python3 "$scratch/server.py" "$scratch" $version >"$scratch/port" 2>&1 &
	target_pids="$target_pids $!"
	target_wait "$scratch/port" '^[0-9]' "$!" || exit 1
	jvm_port=$(cat "$scratch/port")
	{ reported '' 'certificate is rejected: it is self-signed and not trusted' &&
		reported --insecure 'certificate' &&
		! grep -q 'use .*insecure' "$proxy_said" &&
		grep -q -- '--cert, --key' "$proxy_said"; } ||
		{ echo "TLS $version"; cat "$proxy_said"; exit 1; }
done
