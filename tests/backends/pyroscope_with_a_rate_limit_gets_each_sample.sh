# SPDX-License-Identifier: Apache-2.0
# Pyroscope limits the rate of a tenant, and stores a part of a request that it refuses:
# all samples are stored, and none more often than prof reports.
# PYROSCOPE=PATH of the program
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/backends/lib.sh
pyroscope_alone "$0" "$@"

pyroscope_start -auth.multitenancy-enabled=true \
	-distributor.ingestion-rate-limit-mb=0.001 \
	-distributor.ingestion-burst-size-mb=0.01 || exit 1
address=127.0.0.1:4040
for url in "grpc://$address" "http://$address" "http://$address/ingest"; do
	backend_target || exit 1
	first=$pid
	target "$(jdks | head -n 1)" "-Dotel.service.name=$service" || exit 1
	rm -rf "$written"
	mkdir "$written"
	prof_start -p "$first" -p "$pid" -e cpu -F 99 --interval 1s --shutdown-timeout 180s \
		--push "$url" --header-file "$header" -o "$written/" || exit 1
	target_wait "$prof_err" 'trying again' "$prof_job" || exit 1
	kill -INT "$prof_pid"
	prof_end 0 || exit 1
	has "$prof_err" 'rate limit' || exit 1
	pprof=
	[ "${url%/ingest}" = "$url" ] || pprof=--pprof
	pyroscope_got_all $pprof --tenant team || exit 1
	target_end "$first"
	target_end "$pid"
done
# It needs half a minute to end.
kill -KILL "$pyroscope_pid"
