# SPDX-License-Identifier: Apache-2.0
# prof --metrics serves the counts of the receiver, the kernel's CPU time and memory,
# and a document to which promtool does not object.  /healthz fails while the backend
# is away for three intervals, with the reason, and recovers.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

# tests/setup.sh unpacks the Debian package there.
PATH=$PATH:$PWD/build/prometheus/usr/bin
command -v curl >/dev/null || { echo 'no curl'; exit 77; }
target "$(jdks | head -n 1)" -- burners=1 || exit 1
engine_start || exit 1
: >"$engine/bytes"
echo '2 503 1' >"$engine/answer"
prof_start -p "$pid" -F 49 --push "http://127.0.0.1:$engine_port" --interval 1s \
	--log-format json --metrics 127.0.0.1:0 || exit 1
target_wait "$prof_err" 'serving http' || { cat "$prof_err"; exit 1; }
url=$(sed -n 's|.*serving \(http://[0-9.:]*\)/metrics.*|\1|p' "$prof_err")

# scrape: stores the document in $scratch/metrics
scrape() {
	curl -s -S -f --max-time 20 "$url/metrics" >"$scratch/metrics"
}

# value SERIES: prints its value in the document
value() {
	awk -v series="$1" 'index($0, series " ") == 1 { print $NF }' \
		"$scratch/metrics"
}

# expect SERIES VALUE
expect() {
	[ "$(value "$1")" = "$2" ] && return
	echo "$1 is $(value "$1"), not $2"
	cat "$scratch/metrics"
	return 1
}

# await_health STATUS: waits for a response with the status; stores it
await_health() {
	for _ in $(seq 200); do
		got=$(curl -s --max-time 20 -o "$scratch/health" \
			-w '%{http_code}' "$url/healthz")
		[ "$got" != "$1" ] || return 0
		sleep 0.1
	done
	echo "/healthz: $got, not $1"
	cat "$scratch/health" "$prof_err"
	return 1
}

# received: prints the number of samples, requests and bytes that the backend has
received() {
	echo "$(engine_samples)" "$(find "$engine" -name '*.txt' | wc -l)" \
		"$(awk '{ sum += $1 } END { print sum + 0 }' "$engine/bytes")"
}

# agreed: whether a scrape, during which nothing was received, has these numbers
agreed() {
	before=$(received) && scrape && [ "$(received)" = "$before" ] &&
		[ "$before" = "$(value sjkc_push_samples_total) $(
			value 'sjkc_push_requests_total{result="delivered"}') $(
			value sjkc_push_bytes_total)" ] &&
		[ "${before%% *}" -gt 0 ]
}
# A stopped JVM has no samples, so the receiver's counts stay as they are.
for _ in $(seq 100); do
	scrape && [ "$(value sjkc_push_samples_total)" -gt 0 ] && break
	sleep 0.1
done
kill -STOP "$pid"
is_agreed=
for _ in $(seq 60); do
	agreed && is_agreed=1 && break
	sleep 0.5
done
kill -CONT "$pid"
[ -n "$is_agreed" ] || {
	echo "the backend has $before samples, requests and bytes:"
	cat "$scratch/metrics"
	exit 1
}
awk '
	/^sjkc_samples_total/ { taken = $2 }
	/^sjkc_push_samples_total|^sjkc_queue_samples/ { known += $2 }
	/^sjkc_samples_lost_total.*"(queue full|too old|refused|too large|no stack trace)"/ {
		known += $2
	}
	END { exit taken != known }' "$scratch/metrics" ||
	{ echo 'samples are missing:'; cat "$scratch/metrics"; exit 1; }
{
	expect 'sjkc_jvms{state="sampled"}' 1 &&
		expect 'sjkc_jvms{state="refused"}' 0 &&
		expect sjkc_sampling_hz 49 &&
		expect 'sjkc_push_requests_total{result="failed"}' 2
} || exit 1
python3 - "$url" "$prof_pid" <<-'END' || exit 1
	import os, sys, time, urllib.request
	url, pid = sys.argv[1:]
	tick, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGESIZE")

	def kernel():
	    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
	        fields = file.read().rpartition(")")[2].split()
	    with open(f"/proc/{pid}/statm", encoding="utf-8") as file:
	        resident = int(file.read().split()[1])
	    return (int(fields[11]) + int(fields[12])) / tick, resident * page

	before = kernel()
	with urllib.request.urlopen(f"{url}/metrics", timeout=20) as reply:
	    series = dict(line.rsplit(" ", 1) for line in reply.read().decode().splitlines()
	                  if not line.startswith("#"))
	after = kernel()
	cpu = float(series["process_cpu_seconds_total"])
	# The kernel truncates both times to ticks.
	assert before[0] <= cpu <= after[0] + 2 / tick, (before, cpu, after)
	resident = float(series["process_resident_memory_bytes"])
	assert 0.8 * min(before[1], after[1]) <= resident <= 1.2 * max(before[1], after[1])
	assert 0 < time.time() - float(series["sjkc_last_push_timestamp_seconds"]) < 60
END
if command -v promtool >/dev/null; then
	promtool check metrics <"$scratch/metrics" >"$scratch/promtool" 2>&1 &&
		[ ! -s "$scratch/promtool" ] || { cat "$scratch/promtool"; exit 1; }
else
	echo '# SKIP promtool check metrics: there is no promtool'
fi
await_health 200 || exit 1
engine_end
await_health 503 || exit 1
grep -q "^no profile was delivered in [0-9]* intervals: cannot send to http://127" \
	"$scratch/health" || { cat "$scratch/health"; exit 1; }
engine_start && await_health 200 || exit 1
kill -INT "$prof_pid"
prof_end 0 || exit 1
python3 - "$prof_err" "$(engine_samples)" <<-'END'
	import json, sys
	with open(sys.argv[1], encoding="utf-8") as file:
	    events = [json.loads(line) for line in file]
	assert all(e["time"].endswith("Z") and e["message"] for e in events), events
	assert {e["level"] for e in events} == {"info", "warning"}, events
	end = [e for e in events if "delivered_samples" in e]
	assert len(end) == 1 and end[0]["samples"] == int(sys.argv[2]), end
	assert end[0]["delivered_samples"] == end[0]["samples"], end
END
