# SPDX-License-Identifier: Apache-2.0
# Over JMX, gc prints each full collection with the values of the LastGcInfo that
# another client, of the JDK, reads: id, duration, end, and the heap before and
# after.  Stopped times are unknown.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/jmx.sh

# equal: gc printed each collection of the other client with the same values
equal() {
	python3 - "$scratch/infos" "$scratch/out" <<-'END'
		import json, sys
		got = {(r["operation"], r["number"]): r
		       for r in map(json.loads, open(sys.argv[2]))}
		infos = [line.split() for line in open(sys.argv[1])]
		assert len(infos) >= 3, infos
		for name, *numbers in infos:
		    id, ms, end, before, after, committed = map(int, numbers)
		    r = got.get((name.replace("_", " "), id))
		    assert r, ("not printed:", name, id, sorted(got))
		    want = {"kind": "full", "cause": "System.gc()",
		            "gc_ns": ms * 10**6, "uptime_ns": end * 10**6,
		            "heap_before_bytes": before,
		            "heap_after_bytes": after,
		            "heap_committed_bytes": committed,
		            "stopped_ns": None, "sync_ns": None}
		    have = {key: r[key] for key in want}
		    assert have == want, (have, want)
		assert any(int(numbers[1]) for _, *numbers in infos), infos
		print("equal:", infos)
	END
}

# collections COLLECTOR
collections() {
	target_memory="-XX:+Use$1GC -Xmx64m"
	jmx_target "$jdk" || return
	# A shell without job control starts it with SIGINT ignored.
	env --default-signal=INT "$sjkc" gc "$pid" --source jmx --json -d 60s >"$scratch/out" \
		2>"$scratch/err" &
	gc=$!
	target_wait "$scratch/err" 'JMX notifications' &&
		"$jdk/bin/java" -Xmx64m -XX:+UseSerialGC -XX:-UsePerfData \
			-XX:TieredStopAtLevel=1 -cp "$client" GcInfos \
			"127.0.0.1:$port" 3 >"$scratch/infos" || return
	for _ in $(seq 600); do
		[ "$(grep -c '"kind":"full"' "$scratch/out")" -ge 3 ] && break
		sleep 0.1
	done
	kill -INT $gc
	wait $gc || { cat "$scratch/err"; return 1; }
	equal && target_end "$pid"
}

for jdk in $(jdks); do
	client=$(target_compile "$jdk" GcInfos) || exit 1
	collections Serial && collections G1 || exit 1
done
