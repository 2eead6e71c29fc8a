# SPDX-License-Identifier: Apache-2.0
# Parca behind nginx, which requires TLS and a token: doctor names a fix for what is
# missing or wrong.  prof whose token is corrected while it runs sends what Parca's query
# API returns, under the same names.  PARCA=HOST:PORT, and nginx of Debian
sjkc=$1
scratch=$2
[ -n "${PARCA-}" ] || { echo 'PARCA=HOST:PORT is not set'; exit 77; }
command -v nginx >/dev/null || { echo 'there is no command nginx'; exit 77; }
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/backends/lib.sh

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
	-keyout "$scratch/parca.key" -out "$scratch/parca.pem" -days 2 -subj /CN=parca \
	-addext 'subjectAltName=IP:127.0.0.1' 2>"$scratch/openssl" ||
	{ cat "$scratch/openssl"; exit 1; }
port=$(/usr/bin/python3 -c '
import socket
print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])')
cat >"$scratch/nginx.conf" <<-END_OF_CONFIG
	daemon off;
	user root;
	pid $scratch/nginx.pid;
	error_log stderr;
	events {}
	http {
	  access_log $scratch/access;
$(for kind in client_body proxy fastcgi uwsgi scgi; do
		echo "  ${kind}_temp_path $scratch/$kind;"
	done)
	  map \$http_authorization \$is_known { default 0; "Bearer secret" 1; }
	  server {
	    listen 127.0.0.1:$port ssl http2;
	    ssl_certificate $scratch/parca.pem;
	    ssl_certificate_key $scratch/parca.key;
	    client_max_body_size 32m;
	    location / {
	      if (\$is_known = 0) { return 401; }
	      grpc_pass grpc://$PARCA;
	    }
	  }
	}
END_OF_CONFIG
nginx -p "$scratch" -c "$scratch/nginx.conf" >"$scratch/nginx.log" 2>&1 &
target_jobs="$target_jobs $!"
target_wait "$scratch/nginx.pid" . "$!" || { cat "$scratch/nginx.log"; exit 1; }

url=grpcs://127.0.0.1:$port

# check STATUS TEXT OPTION…: doctor exits with STATUS and prints TEXT
check() {
	status=$1 text=$2
	shift 2
	"$sjkc" doctor --push "$url" "$@" >"$scratch/doctor" 2>&1
	[ $? -eq "$status" ] && has "$scratch/doctor" "$text" && return
	cat "$scratch/doctor"
	exit 1
}
check 5 'use --cacert with the certificates'
check 4 'use --header-file with a valid token' --cacert "$scratch/parca.pem"
echo 'Authorization: Bearer expired' >"$header"
check 4 'the token in --header-file is wrong or has expired' \
	--cacert "$scratch/parca.pem" --header-file "$header"
set -- --cacert "$scratch/parca.pem" --header-file "$header"

# refused: the number of refused questions whether this is Parca
refused() {
	grep -c 'WriteRaw HTTP/2.0" 401' "$scratch/access"
}

# The token is corrected before the first interval ends.
before=$(refused)
backend_target || exit 1
mkdir "$written"
prof_start -p "$pid" -e cpu,offcpu,gc -F 99 --interval 5m --shutdown-timeout 60s \
	--push "$url" -o "$written/" "$@" || exit 1
for _ in $(seq 300); do
	[ "$(refused)" -le "$before" ] || break
	sleep 0.1
done
[ "$(refused)" -gt "$before" ] || { echo 'prof asks nothing'; exit 1; }
echo 'Authorization: Bearer secret' >"$header"
check 0 '\(Parca, pprof over gRPC\)' "$@"
sleep 3
"$sjkc" jcmd "$pid" GC.run >/dev/null
sleep 1
kill -INT "$prof_pid"
prof_end 0 || exit 1
backend_agrees parca "$PARCA" || exit 1
! grep 'ProfilesService/Export HTTP/2.0" 200' "$scratch/access"
