# SPDX-License-Identifier: Apache-2.0
# prof --push to /ingest sends a pprof profile for each JVM, event and interval, with
# the types from which Pyroscope makes the name.  -o DIR writes the same requests to
# files, of which the oldest are removed.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

jdk=$(jdks | head -n 1)
target "$jdk" '-Dotel.service.name=shop:a' -Dotel.resource.attributes=team.name=blue \
	-- burners=1 sleepers=1 || exit 1
engine_start || exit 1
mkdir "$scratch/dir"
echo '503 1' >"$engine/answer"
# The header file is read again before each request, also after SIGHUP.
echo 'X-Tenant: red' >"$scratch/headers"
prof_start -p "$pid" -F 99 -e cpu,offcpu --push "http://127.0.0.1:$engine_port/ingest" \
	--interval 1s --header-file "$scratch/headers" --shutdown-timeout 60s \
	-o "$scratch/dir" --keep-files 3 || exit 1
target_wait "$engine/log" '/ingest application/octet-stream None tenant=red 200' || exit 1
echo 'X-Tenant: blue' >"$scratch/headers"
kill -HUP "$prof_pid"
target_wait "$engine/log" 'tenant=blue 200' || exit 1
target_wait "$prof_err" 'has reached a limit' || exit 1
kill -TERM "$prof_pid"
prof_end 0 || exit 1
engine_accepts && engine_agrees "$prof_err" || exit 1
grep -q 'tenant=red 503$' "$engine/log" || { cat "$engine/log"; exit 1; }
! grep -q 'X-Tenant\|tenant' "$prof_err" || exit 1
for line in '^resource service.name=shop_a __name__=process_cpu .*team_name=blue' \
	'^types cpu_samples/count cpu/nanoseconds period cpu/nanoseconds 10101010$' \
	'^resource service.name=shop_a __name__=block ' \
	'^types block_samples/count block/nanoseconds period block/count 1$' \
	'java.lang.Thread.run;Target.* thread_name='; do
	grep -hq "$line" "$engine"/*.txt || { echo "no $line"; head -n 3 "$engine"/*.txt; exit 1; }
done

# The directory has the newest files, which are as they were sent.
wrote=$(sed -n 's/.*: wrote \([0-9]*\) of \([0-9]*\) samples in .*/\1 \2/p' "$prof_err")
[ "${wrote% *}" = "${wrote#* }" ] && [ -n "$wrote" ] || { cat "$prof_err"; exit 1; }
grep -q ': removed [1-9][0-9]* old files' "$prof_err" || { cat "$prof_err"; exit 1; }
set -- "$scratch"/dir/*
[ $# -eq 3 ] || { echo "$# files: $*"; exit 1; }
for file in "$scratch"/dir/sjkc-*-shop_a.*.pb.gz; do
	python3 tests/tools/pprof_check.py "$file" >"$scratch/file" || exit 1
	grep -l -F -x -f "$scratch/file" "$engine"/*.txt >/dev/null || exit 1
	"$sjkc" prof -i "$file" >/dev/null || exit 1
done

grep -hq '^resource .* process_pid=[0-9]' "$engine"/*.txt || { echo 'no PID'; exit 1; }

# Without a backend, the directory alone; sent later with curl.
mkdir "$scratch/alone"
prof 0 -p "$pid" -F 99 -d 3s -o "$scratch/alone/" --interval 1s --labels low || exit 1
set -- "$scratch"/alone/sjkc-*.otlp.gz
[ $# -ge 3 ] || { echo "files: $*"; exit 1; }
rm -f "$engine"/*.txt "$engine/times"
for file in "$@"; do
	curl -sS --fail -H 'Content-Type: application/x-protobuf' \
		-H 'Content-Encoding: gzip' --data-binary "@$file" \
		"http://127.0.0.1:$engine_port/v1development/profiles" >/dev/null || exit 1
done
engine_accepts || exit 1
grep -hq '^resource service.name=shop:a team.name=blue .*host.name=' "$engine"/*.txt &&
	! grep -hq '^resource .*process\.pid=' "$engine"/*.txt ||
	{ grep -h '^resource' "$engine"/*.txt; exit 1; }
wrote=$(sed -n 's/.*: wrote \([0-9]*\) of \1 samples in .*/\1/p' "$prof_err")
[ "$wrote" = "$(engine_samples)" ] || { echo "wrote '$wrote', sent $(engine_samples)"; exit 1; }
sort -c -n "$engine/times" || exit 1
