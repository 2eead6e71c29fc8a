# SPDX-License-Identifier: Apache-2.0
# Over JMX, gc prints each full collection that the JVM logs, with its cause and
# the same time rounded to ms, and no stopped time.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh

# equal: the full collections that gc printed are the last of the log
equal() {
	python3 - "$scratch/gc.log" "$scratch/out" <<-'END'
		import json, re, sys
		log = [(float(m[2]), m[1]) for m in re.finditer(
		    r"Pause Full \((.*)\) \d+M->.* ([\d.]+)ms$",
		    open(sys.argv[1]).read(), re.M)]
		got = [json.loads(line) for line in open(sys.argv[2])]
		got = [r for r in got if r["kind"] == "full"]
		print("log:", log[-6:], "printed:", got)
		want = log[-len(got):]
		bad = len(got) < 3 or any(
		    abs(r["gc_ns"] / 1e6 - ms) > 100 or r["cause"] != cause
		    or r["stopped_ns"] is not None or r["sync_ns"] is not None
		    or r["heap_after_bytes"] is None
		    for r, (ms, cause) in zip(got, want))
		sys.exit(bad)
	END
}

collections() {
	target_memory='-XX:+UseSerialGC -Xmx64m'
	target "$jdk" "-Xlog:gc:file=$scratch/gc.log:none" || return
	"$sjkc" gc "$pid" --source jmx --json -d 60s >"$scratch/out" \
		2>"$scratch/err" &
	gc=$!
	target_wait "$scratch/err" 'JMX notifications' || return
	for _ in 1 2 3; do
		"$sjkc" jcmd "$pid" GC.run >/dev/null || return
	done
	for _ in $(seq 600); do
		[ "$(grep -c '"kind":"full"' "$scratch/out")" -ge 3 ] && break
		sleep 0.1
	done
	kill -INT $gc
	wait $gc || { cat "$scratch/err"; return 1; }
	equal && target_end "$pid"
}

for jdk in $(jdks); do
	collections || exit 1
done
