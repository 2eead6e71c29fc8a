# SPDX-License-Identifier: Apache-2.0
# The pauses that prof -e gc pushes are those of the JVM's log, to the nanosecond, and
# Pyroscope's interface and reports have their number, too.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

jdk=$(jdks | head -n 1)
log=$scratch/gc.log
target_memory="-XX:+UseG1GC -Xmx256m"
target "$jdk" "-Xlog:safepoint:file=$log:un:filecount=0" -- \
	burners=1 || exit 1
engine_start || exit 1

# collects COUNT: makes the JVM collect while prof samples, and ends prof
collects() {
	target_wait "$prof_err" 'sampling Target' "$prof_job" || return
	before=$(grep -c 'Safepoint "G1Collect' "$log")
	for _ in $(seq "$1"); do
		"$sjkc" jcmd "$pid" GC.run >/dev/null || return
	done
	# The JVM writes the line after the safepoint.
	for _ in $(seq 600); do
		[ "$(grep -c 'Safepoint "G1Collect' "$log")" -lt $((before + $1)) ] || break
		sleep 0.1
	done
	kill -INT "$prof_pid"
	prof_end 0 || return
	wanted=$(grep 'Safepoint "G1Collect' "$log" | tail -n +$((before + 1)) |
		sed 's/.*Total: *\([0-9]*\) ns.*/\1/' | awk '{ sum += $1 } END { printf "%d\n", sum }')
}

# is WHAT VALUE
is() {
	echo "| $1: $2 ns" >>"$scratch/equal"
	[ "$2" = "$wanted" ] && [ "$2" -gt 0 ] && return
	echo "$1 has '$2' ns, the JVM's log $wanted"
	cat "$engine"/*.txt "$prof_err"
	grep 'Safepoint "G1Collect' "$log"
	return 1
}

url=http://127.0.0.1:$engine_port
prof_start -p "$pid" -e cpu,gc --interval 1s --push "$url" || exit 1
collects 5 && engine_accepts || exit 1
is OTLP "$(cat "$engine"/*.txt | awk '/^  GC pause G1;full;System.gc\(\)|^  GC pause G1;full;Diagnostic Command/ {
	sum += $NF } END { printf "%d\n", sum }')" || exit 1

rm -f "$engine"/*.txt
prof_start -p "$pid" -e gc --interval 1s --push "$url/ingest" --labels low || exit 1
collects 3 && engine_accepts && engine_agrees "$prof_err" || exit 1
grep -q 'delivered 3 of 3 samples' "$prof_err" || { cat "$prof_err"; exit 1; }
grep -q '^types gc_pauses/count gc/nanoseconds period gc/count 1$' "$engine"/*.txt ||
	{ cat "$engine"/*.txt; exit 1; }

prof_start "$pid" -e gc -o "$scratch/gc.collapsed" --total || exit 1
collects 2 || exit 1
is 'the file' "$(awk '{ sum += $NF } END { printf "%d\n", sum }' "$scratch/gc.collapsed")"
cat "$scratch/equal"
