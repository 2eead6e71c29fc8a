# SPDX-License-Identifier: Apache-2.0
# prof --push grpc://… sends the same requests over gRPC, and obeys its statuses.  Parca
# gets requests of its own interface, also those of the time before it started.  It may
# replace a server that has responded, or share its address with another one.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

/usr/bin/python3 -c 'import grpc' 2>/dev/null ||
	{ echo 'python3-grpcio is not installed'; exit 77; }
jdk=$(jdks | head -n 1)
target "$jdk" -Dotel.service.name=shop -Dtarget.duty=25 -- burners=1 || exit 1
grpc_start() {
	rm -f "$engine/port"
	/usr/bin/python3 tests/tools/otlp_grpc_engine.py "$engine" "$@" \
		>"$scratch/engine.err" 2>&1 &
	engine_pid=$!
	target_jobs="$target_jobs $!"
	target_wait "$engine/port" . "$!" || { cat "$scratch/engine.err"; return 1; }
}
grpc_start || exit 1
echo UNAVAILABLE >"$engine/answer"
echo 'x-tenant: red' >"$scratch/headers"
prof 0 -p "$pid" -F 99 -d 3s --push "grpc://127.0.0.1:$(cat "$engine/port")" \
	--interval 1s --header-file "$scratch/headers" --shutdown-timeout 20s || exit 1
engine_accepts && engine_agrees "$prof_err" || exit 1
[ "$(head -n 2 "$engine/log")" = 'red UNAVAILABLE
red OK' ] || { cat "$engine/log"; exit 1; }
grep -q 'trying again' "$prof_err" || { cat "$prof_err"; exit 1; }
grep -q '^resource service.name=shop ' "$engine/1.txt" || exit 1

# A status that is final.
echo INVALID_ARGUMENT >"$engine/answer"
prof 7 -p "$pid" -F 99 -d 1s --push "grpc://127.0.0.1:$(cat "$engine/port")" || exit 1
grep -q 'dropped: gRPC status 3: busy' "$prof_err" || { cat "$prof_err"; exit 1; }

# Parca starts after the first requests were made, at the port of the other server.
port=$(cat "$engine/port")
engine_end
rm -f "$engine"/*
prof_start -p "$pid" -F 99 --push "grpc://127.0.0.1:$port" -v \
	--interval 1s --shutdown-timeout 60s || exit 1
target_wait "$prof_err" 'queued requests: [1-9]' "$prof_job" || { cat "$prof_err"; exit 1; }
grpc_start --parca --port "$port" || exit 1
target_wait "$engine/log" 'OK' "$prof_job" || { cat "$prof_err"; exit 1; }
kill -INT "$prof_pid"
prof_end 0 || exit 1
engine_accepts && engine_agrees "$prof_err" || exit 1
grep -q '^resource __name__=process_cpu service.name=shop .* thread_name=burner' \
	"$engine"/*.txt || { cat "$engine"/*.txt; exit 1; }
grep -q '^types samples/count cpu/nanoseconds period cpu/nanoseconds 10101010$' \
	"$engine"/*.txt || { grep '^types' "$engine"/*.txt; exit 1; }

# A server responds to the question whether it is Parca, and Parca replaces it before
# the first request.
engine_end
rm -f "$engine"/*
grpc_start --without-profiles --port "$port" || exit 1
prof_start -p "$pid" -F 99 --push "grpc://127.0.0.1:$port" --interval 5m \
	--shutdown-timeout 60s || exit 1
target_wait "$prof_err" 'sending profiles' "$prof_job" || exit 1
for _ in $(seq 600); do
	[ ! -e "$engine/asked" ] || break
	sleep 0.1
done
[ -e "$engine/asked" ] || { echo 'prof asks nothing'; exit 1; }
engine_end
grpc_start --parca --port "$port" || exit 1
sleep 2
kill -INT "$prof_pid"
prof_end 0 || exit 1
engine_accepts && engine_agrees "$prof_err" || exit 1

# A server that is not Parca gets one request, and Parca the next.
rm -f "$engine"/*.txt
echo UNIMPLEMENTED >"$engine/answer"
prof 0 -p "$pid" -F 99 -d 2s --push "grpc://127.0.0.1:$port" --interval 1s \
	--shutdown-timeout 60s || exit 1
has "$prof_err" 'gRPC status 12: busy; trying again' || exit 1
engine_accepts && engine_agrees "$prof_err" || exit 1
