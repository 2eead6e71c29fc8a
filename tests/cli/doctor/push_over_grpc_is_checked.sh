# doctor --push over gRPC, also to a unix socket and with TLS: a receiver without
# profiles, a login that is missing, other protocols sent to its port, and
# SSL_CERT_FILE.
exec 2>&1
/usr/bin/python3 -c 'import grpc' 2>/dev/null ||
	{ echo 'python3-grpcio is not installed'; exit 77; }
unset http_proxy https_proxy all_proxy no_proxy
# A loaded machine responds late.
OTEL_EXPORTER_OTLP_TIMEOUT=60000
export OTEL_EXPORTER_OTLP_TIMEOUT
jobs=

# start NAME OPTION…: starts a receiver in the directory NAME, and sets $port
start() {
	mkdir "$1"
	/usr/bin/python3 "$DATA/../tools/otlp_grpc_engine.py" "$@" >"$1/err" 2>&1 &
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

{
	trap 'kill $jobs' EXIT
	start plain
	check "grpc://127.0.0.1:$port"
	check "http://127.0.0.1:$port" --push-format grpc
	check "http://127.0.0.1:$port"
	echo UNAUTHENTICATED >plain/answer
	check "grpc://127.0.0.1:$port"
	echo UNAVAILABLE >plain/answer
	check "grpc://127.0.0.1:$port"
	start parca --parca
	check "grpc://127.0.0.1:$port"
	check "grpc://127.0.0.1:$port" --push-format parca
	check "grpc://127.0.0.1:$port" --push-format grpc
	OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:$port OTEL_EXPORTER_OTLP_PROTOCOL=grpc \
		check env
	start without --without-profiles
	check "grpc://127.0.0.1:$port"
	start socket --unix "$PWD/engine.sock"
	check "unix:$PWD/engine.sock" --push-format grpc
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
		-keyout engine.key -out engine.pem -days 2 -subj /CN=engine.test \
		-addext subjectAltName=DNS:engine.test 2>/dev/null
	start tls --cert engine.pem --key engine.key
	check "grpcs://127.0.0.1:$port" --cacert engine.pem --server-name engine.test
	check "grpcs://127.0.0.1:$port"
	SSL_CERT_FILE=$PWD/engine.pem check "grpcs://127.0.0.1:$port" --server-name engine.test
	check "grpc://127.0.0.1:$port" --cacert engine.pem --server-name engine.test
} | sed -E "s/:[0-9]{4,5}([/ ])/:PORT\\1/g; s/ +[0-9.]+ ms/ N ms/; s,$PWD/,,g;
	/gRPC|HTTP status/! s/(failed  request N ms) .*/\\1  (no response)/"
