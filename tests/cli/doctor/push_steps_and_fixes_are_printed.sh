# doctor --push prints each step with its time, and a fix for the step that fails.
# The receiver is tests/tools/otlp_engine.py; times and ports are replaced.
exec 2>&1
unset http_proxy https_proxy all_proxy no_proxy
# A loaded machine responds late.
OTEL_EXPORTER_OTLP_TIMEOUT=60000
export OTEL_EXPORTER_OTLP_TIMEOUT
jobs=

# start NAME OPTION…: starts a receiver in the directory NAME, and sets $port
start() {
	mkdir "$1"
	python3 "$DATA/../tools/otlp_engine.py" "$@" >"$1/err" 2>&1 &
	jobs="$jobs $!"
	for _ in $(seq 1 1000); do
		[ ! -e "$1/port" ] || break
		sleep 0.1
	done
	port=$(cat "$1/port") || cat "$1/err"
}

check() {
	echo "-- $*" | sed "s/:$port/:PORT/; s,$PWD/,,"
	sjkc doctor --push "$@" 2>&1
	echo "exit status $?"
}

replace() {
	# A peer that speaks another protocol ends the connection at any time.
	sed -E "s/:[0-9]{4,5}([/ ])/:PORT\1/g; s/ +[0-9.]+ ms/ N ms/; s,$PWD/,,g;
		/HTTP status/! s/(failed  request N ms) .*/\1  (no response)/;
		s/(failed  TLS N ms) +OpenSSL.*/\1  (no TLS)/"
}

make_certificate() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
		-keyout "$1.key" -out "$1.pem" -days 2 -subj "/CN=$1" \
		-addext "subjectAltName=DNS:$1" 2>/dev/null
}

{
	trap 'kill $jobs' EXIT
	start plain
	check "http://127.0.0.1:$port"
	check "http://127.0.0.1:$port/ingest"
	check "http://127.0.0.1:$port" --push-format pyroscope
	check "http://127.0.0.1:$port/v1/profiles"
	check "https://127.0.0.1:$port"
	check "grpc://127.0.0.1:$port"
	# Other protocols are tried without the headers, which may be secrets.
	echo 'X-Tenant: secret' >headers
	check "https://127.0.0.1:$port" --header-file headers
	OTEL_EXPORTER_OTLP_HEADERS=X-Tenant=secret
	export OTEL_EXPORTER_OTLP_HEADERS
	check "https://127.0.0.1:$port"
	unset OTEL_EXPORTER_OTLP_HEADERS
	echo page >plain/answer
	check "http://127.0.0.1:$port"
	echo '2 503' >plain/answer
	check "http://127.0.0.1:$port"
	echo 415 >plain/answer
	check "http://127.0.0.1:$port"
	# Other responses than those of a modern engine.
	for word in redirect 'page 502' 407 429 old chunks cut; do
		echo "$word" >plain/answer
		check "http://127.0.0.1:$port"
	done
	rm plain/answer
	check http://127.0.0.1:1
	check http://::1:4318
	check http://no.such.host.invalid
	check http://no.such.host.invalid --header-file headers
	check unix:/no/such.sock
	http_proxy=http://127.0.0.1:$port
	export http_proxy
	check http://no.such.host.invalid
	echo 407 >plain/answer
	check http://no.such.host.invalid
	echo 'page 403' >plain/answer
	check http://no.such.host.invalid
	check grpc://no.such.host.invalid
	no_proxy=no.such.host.invalid
	export no_proxy
	check http://no.such.host.invalid
	unset no_proxy
	# Passwords of proxies are never printed.
	for http_proxy in http://me:secret@127.0.0.1:1 me:secret@no.such.proxy.invalid \
		odd://me:secret@127.0.0.1:1; do
		check http://no.such.host.invalid
	done
	HTTP_PROXY=http://127.0.0.1:1
	export HTTP_PROXY
	unset http_proxy
	check "http://127.0.0.1:$port"
	unset HTTP_PROXY
	https_proxy=http://127.0.0.1:$port
	export https_proxy
	check https://no.such.host.invalid
	unset https_proxy

	start token --token secret-token
	check "http://127.0.0.1:$port"
	echo 'Authorization: Bearer secret-token' >headers
	check "http://127.0.0.1:$port" --header-file headers
	echo 'secret-token' >headers
	check "http://127.0.0.1:$port" --header-file headers

	start login --token 'Basic bWU6c2VjcmV0'
	printf 'Authorization: Basic %s\n' "$(printf me:secret | base64)" >headers
	check "http://127.0.0.1:$port" --header-file headers
	OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:$port
	OTEL_EXPORTER_OTLP_HEADERS=Authorization=Basic%20bWU6c2VjcmV0
	export OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS
	check env
	unset OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS

	make_certificate engine.test
	make_certificate client.test
	start tls --cert engine.test.pem --key engine.test.key \
		--client-ca client.test.pem
	check "https://127.0.0.1:$port"
	check "https://127.0.0.1:$port" --cacert client.test.pem
	check "https://127.0.0.1:$port" --cacert engine.test.pem
	check "https://127.0.0.1:$port" --cacert engine.test.pem \
		--server-name engine.test
	check "https://127.0.0.1:$port" --cacert engine.test.pem \
		--server-name engine.test --cert client.test.pem \
		--key client.test.key
	check "http://127.0.0.1:$port"

	make_certificate old.test
	# Only x509 makes a certificate that has expired.
	openssl req -new -key old.test.key -subj /CN=old.test \
		-addext subjectAltName=DNS:old.test -out old.csr
	openssl x509 -req -in old.csr -signkey old.test.key -days -1 \
		-copy_extensions copy -out old.test.pem 2>/dev/null
	start old --cert old.test.pem --key old.test.key
	check "https://127.0.0.1:$port" --cacert old.test.pem \
		--server-name old.test

	start socket --unix "$PWD/engine.sock"
	check "unix:$PWD/engine.sock"
	check "unix://$PWD/engine.sock" --push-format pyroscope --json
	check http://127.0.0.1:1 4711
	sjkc doctor --cacert x 4711 2>&1
} | replace | sed -E 's/"ms":[0-9.e-]+/"ms":N/g'
grep tenant=secret */log
for name in plain token tls socket; do
	cat "$name"/*.bad 2>/dev/null
	cut -d ' ' -f 1,5- "$name/log"
done | grep -v '^$'
