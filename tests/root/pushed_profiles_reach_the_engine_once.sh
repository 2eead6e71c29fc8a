# SPDX-License-Identifier: Apache-2.0
# prof --push sends a profile for each JVM and interval.  Each sample arrives once,
# although the backend resets a connection, asks to come back later, does not respond
# in time, sends a response without an end, of which prof reads 4 MiB, and closes the
# connection in the middle of a response with the status 200.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

jdk=$(jdks | head -n 1)
OTEL_RESOURCE_ATTRIBUTES=team=blue%20one,service.name=shop
export OTEL_RESOURCE_ATTRIBUTES
target "$jdk" -- burners=1 || exit 1
shop=$pid
unset OTEL_RESOURCE_ATTRIBUTES
target "$jdk" -Dotel.service.name=depot -- burners=1 || exit 1
depot=$pid
engine_start || exit 1
printf 'reset\n503 1\nhang\nflood\ncut\n' >"$engine/answer"
# The file is read again before each request.
echo 'X-Tenant: red' >"$scratch/headers"
OTEL_EXPORTER_OTLP_TIMEOUT=1500 prof 0 -p "$shop" -p "$depot" -F 99 -d 5s \
	--push "http://127.0.0.1:$engine_port" --interval 1s \
	--header-file "$scratch/headers" --shutdown-timeout 60s || exit 1
engine_accepts && engine_agrees "$prof_err" || exit 1
for word in reset 503 hang flood cut 200; do
	grep -q "^/v1development/profiles application/x-protobuf gzip tenant=red $word\$" \
		"$engine/log" || { echo "no $word:"; cat "$engine/log"; exit 1; }
done
sort -c -n "$engine/times" || exit 1
has "$prof_err" 'accepted the profiles: the response is incomplete$' || exit 1
# The sockets hold the rest.
[ "$(cat "$engine/flooded")" -lt $((32 << 20)) ] ||
	{ echo "read: $(cat "$engine/flooded") bytes"; exit 1; }
for service in "shop team=blue one" depot; do
	grep -q "^resource service.name=$service " "$engine"/*.txt ||
		{ echo "no $service"; grep -h '^resource' "$engine"/*.txt; exit 1; }
done
for line in '^profile samples/count period cpu/nanoseconds 10101010$' \
	'java.lang.Thread.run;Target'; do
	grep -q "$line" "$engine/1.txt" || { head -n 5 "$engine/1.txt"; exit 1; }
done
