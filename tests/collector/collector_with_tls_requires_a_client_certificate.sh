# SPDX-License-Identifier: Apache-2.0
# The Collector runs with packaging/collector.yaml and TLS: over HTTP and gRPC, prof
# trusts its authority alone (--cacert) and presents a client certificate.  Without
# one, or with that of another authority, nothing is delivered, and doctor names a fix.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/collector/lib.sh

# docs/continuous-profiling.md shows the configuration.
while IFS= read -r line; do
	grep -qxF -- "$line" docs/continuous-profiling.md ||
		{ echo "continuous-profiling.md has no: $line"; exit 1; }
done <packaging/collector.yaml

collector_has service
jdk=$(all_jdks | head -n 1)
target "$jdk" -Dotel.service.name=shop -- burners=1 || exit 1
receiver_start || exit 1

# make_certificate NAME [AUTHORITY]: makes NAME.pem and NAME.key, signed by itself or
# by the authority
make_certificate() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
		-keyout "$scratch/$1.key" -out "$scratch/$1.pem" -days 2 \
		-subj "/CN=$1" -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' \
		${2:+-CA "$scratch/$2.pem" -CAkey "$scratch/$2.key"} \
		${2:+-addext 'basicConstraints=critical,CA:FALSE'} 2>"$scratch/openssl" ||
		{ cat "$scratch/openssl"; exit 1; }
}
make_certificate authority
make_certificate server authority
make_certificate client authority
make_certificate stranger

# shellcheck disable=SC2046 # one word a port
set -- $(free_ports 2)
sed "s|0.0.0.0:4317\"|127.0.0.1:$1\", tls: \$tls|; s|0.0.0.0:4318\"|127.0.0.1:$2\", tls: \$tls|
	s|gateway:4317|127.0.0.1:$grpc|
	s|\$tls|{ cert_file: $scratch/server.pem, key_file: $scratch/server.key, client_ca_file: $scratch/authority.pem }|
	s|^service:|&\n  telemetry: { metrics: { level: none } }|" \
	packaging/collector.yaml >"$scratch/config.yaml"
"$COLLECTOR/service" --feature-gates=service.profilesSupport \
	--config "file:$scratch/config.yaml" >"$scratch/service.log" 2>&1 &
target_jobs="$target_jobs $!"
target_wait "$scratch/service.log" 'Everything is ready' ||
	{ cat "$scratch/service.log"; exit 1; }

# check STATUS TEXT URL OPTION…: doctor exits with STATUS and prints TEXT
check() {
	status=$1 text=$2
	shift 2
	timeout 60 "$sjkc" doctor --push "$@" >"$scratch/doctor" 2>&1
	[ $? -eq "$status" ] && has "$scratch/doctor" "$text" && return
	cat "$scratch/doctor"
	exit 1
}
for url in "grpcs://127.0.0.1:$1" "https://127.0.0.1:$2"; do
	rm -f "$received"/*
	check 5 'use --cacert with the certificates' "$url"
	check 5 'a client certificate: use --cert and --key|requires --cert' "$url" \
		--cacert "$scratch/authority.pem"
	check 5 '^failed ' "$url" --cacert "$scratch/authority.pem" \
		--cert "$scratch/stranger.pem" --key "$scratch/stranger.key"
	[ -z "$(find "$received" -name '*.json')" ] || { echo 'accepted'; exit 1; }
	check 0 '^works: prof --push' "$url" --cacert "$scratch/authority.pem" \
		--cert "$scratch/client.pem" --key "$scratch/client.key"
	# The request of doctor has passed through.
	sleep 1
	rm -f "$received"/*
	prof 0 -p "$pid" -F 99 -d 4s --interval 1s --shutdown-timeout 60s --push "$url" \
		--cacert "$scratch/authority.pem" --cert "$scratch/client.pem" \
		--key "$scratch/client.key" || exit 1
	requests=$(sed -n 's/.* samples in \([0-9]*\) requests.*/\1/p' "$prof_err")
	for _ in $(seq 1 300); do
		[ "$(find "$received" -name '*.json' | wc -l)" -lt "$requests" ] || break
		sleep 0.1
	done
	received_agrees "$prof_err" "${url%%:*}" ||
		{ tail -n 5 "$scratch/service.log"; exit 1; }
	grep -q '^resource service.name=shop ' "$scratch/agrees" || exit 1
done
