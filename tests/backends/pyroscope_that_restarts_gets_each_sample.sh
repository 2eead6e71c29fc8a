# SPDX-License-Identifier: Apache-2.0
# Pyroscope ends and starts again while prof pushes by each protocol: all samples are
# stored, and none more often than prof reports.  PYROSCOPE=PATH of the program
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/backends/lib.sh
pyroscope_alone "$0" "$@"

pyroscope_start || exit 1
address=127.0.0.1:4040
runs=
for url in "grpc://$address" "http://$address" "http://$address/ingest"; do
	backend_target || exit 1
	written=$scratch/$service prof_err=$scratch/$service.err
	mkdir "$written"
	prof_start -p "$pid" -e cpu -F 49 --interval 1s --shutdown-timeout 120s --push "$url" \
		-o "$written/" || exit 1
	runs="$runs $service|$since|$prof_pid|$prof_job|$url"
	target_wait "$prof_err" 'sending profiles' "$prof_job" || exit 1
done
# Each has stored requests, and each has to wait with some.
sleep 5
kill -TERM "$pyroscope_pid"
wait "$pyroscope_pid"
sleep 5
pyroscope_start || exit 1
sleep 5
for run in $runs; do
	IFS='|' read -r service since prof_pid prof_job url <<-END
		$run
	END
	written=$scratch/$service prof_err=$scratch/$service.err
	kill -INT "$prof_pid"
	prof_end 0 || exit 1
	has "$prof_err" 'trying again' || exit 1
	pprof=
	[ "${url%/ingest}" = "$url" ] || pprof=--pprof
	pyroscope_got_all $pprof || exit 1
done
