# SPDX-License-Identifier: Apache-2.0
# A Collector with a pipeline of profiles sends what sjkc pushed on, by its OTLP
# exporters over gRPC and HTTP, to two more receivers.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/collector/lib.sh

collector_has service
jdk=$(all_jdks | head -n 1)
target "$jdk" -Dotel.service.name=shop -- burners=1 || exit 1
receiver_start || exit 1
by_grpc=$received grpc_to=$grpc
http='' received=$scratch/by-http
mkdir "$received"
receiver_start || exit 1
by_http=$received http_to=$http

# shellcheck disable=SC2046 # one word a port
set -- $(free_ports 2)
cat >"$scratch/config.yaml" <<-END_OF_CONFIG
	receivers:
	  otlp:
	    protocols:
	      grpc: { endpoint: "127.0.0.1:$1" }
	      http: { endpoint: "127.0.0.1:$2" }
	exporters:
	  otlp_grpc:
	    endpoint: "127.0.0.1:$grpc_to"
	    tls: { insecure: true }
	    sending_queue: { num_consumers: 1 }
	  otlp_http:
	    endpoint: "http://127.0.0.1:$http_to"
	    sending_queue: { num_consumers: 1 }
	  debug: { verbosity: basic }
	service:
	  telemetry: { metrics: { level: none } }
	  pipelines:
	    profiles:
	      receivers: [otlp]
	      exporters: [otlp_grpc, otlp_http, debug]
END_OF_CONFIG
"$COLLECTOR/service" --feature-gates=service.profilesSupport \
	--config "file:$scratch/config.yaml" >"$scratch/service.log" 2>&1 &
service_pid=$!
target_jobs="$target_jobs $service_pid"
target_wait "$scratch/service.log" 'Everything is ready' || exit 1
for url in "grpc://127.0.0.1:$1" "http://127.0.0.1:$2"; do
	rm -f "$by_grpc"/* "$by_http"/*
	prof 0 -p "$pid" -F 99 -d 4s --interval 1s --shutdown-timeout 60s \
		--push "$url" || exit 1
	requests=$(sed -n 's/.* samples in \([0-9]*\) requests.*/\1/p' "$prof_err")
	for received in "$by_grpc" "$by_http"; do
		# The Collector answers before it exports.
		for _ in $(seq 1 300); do
			[ "$(find "$received" -name '*.json' | wc -l)" -lt "$requests" ] ||
				break
			sleep 0.1
		done
		received_agrees "$prof_err" "${url%%:*}, exported $(basename "$received")" ||
			{ tail -n 5 "$scratch/service.log"; exit 1; }
		grep -q '^resource service.name=shop ' "$scratch/agrees" ||
			{ cat "$scratch/agrees"; exit 1; }
	done
done
grep -q '"sample records": [1-9]' "$scratch/service.log" ||
	{ tail -n 5 "$scratch/service.log"; exit 1; }
kill -TERM "$service_pid"
wait "$service_pid" || { echo 'the Collector failed'; exit 1; }
