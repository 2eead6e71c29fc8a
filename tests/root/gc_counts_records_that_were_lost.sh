# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for pauses.
# While gc is stopped, the kernel's buffer fills up with phases.  Afterwards gc
# prints how many records and pauses were lost, with exit status 7, and the lost
# pauses are in a sum: no time is missing.  Without counters, no counter tells how many
# pauses were lost, and the next pause has the time of its own collection.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh

# logged: prints the number of safepoints in the log
logged() {
	grep -c 'Safepoint "' "$gc_log"
}

# wait_for COUNT: waits until the log has that many safepoints more
wait_for() {
	until=$(($(logged) + $1))
	for _ in $(seq 1 3000); do
		[ "$(logged)" -lt $until ] || return 0
		sleep 0.1
	done
	echo 'the JVM does not collect'
	return 1
}

# stopped_for_a_while OPTION…: starts gc, and stops it until the buffer is full.  A
# megabyte has room for 140 collections with phases.
stopped_for_a_while() {
	env --default-signal=INT "$sjkc" gc "$pid" --json --phases "$@" \
		>"$gc_out" 2>"$gc_err" &
	gc_job=$!
	target_jobs="$target_jobs $gc_job"
	target_wait "$gc_out" '"name":"GC Pause"' "$gc_job" &&
		kill -STOP "$gc_job" && wait_for 300 && kill -CONT "$gc_job" &&
		wait_for 20 && kill -INT "$gc_job" && gc_end 7
}

for jdk in $(jdks); do
	gc_target "$jdk" Serial -Xmn3m -- live=2000 rate=200 || exit 1
	stopped_for_a_while --safepoints --source uprobes &&
		gc_has "$gc_err" 'incomplete: [1-9][0-9]* pauses* missed, [1-9][0-9]* records* lost' ||
		exit 1
	python3 - "$gc_log" "$gc_out" <<-'END' || exit 1
		import json, re, sys
		stops = [(int(m[1]), int(m[2])) for m in re.finditer(
		    r"\[(\d+)ns\].*Safepoint .*Total: +(\d+) ns",
		    open(sys.argv[1]).read())]
		records = [json.loads(line) for line in open(sys.argv[2])]
		sums = [r for r in records if r["count"] > 1]
		assert sums, "no record is a sum"
		for r in sums:
		    ends = [i for i, s in enumerate(stops)
		            if sum(x[1] for x in stops[i - r["count"] + 1:i + 1])
		            == r["stopped_ns"]]
		    assert ends, ("no such sum in the log", r)
	END
	target_end "$pid"
done

gc_target "$jdk" Serial -XX:-UsePerfData -Xmn3m -- live=2000 rate=200 &&
	stopped_for_a_while &&
	gc_has "$gc_err" 'incomplete: 0 or more pauses* missed, [1-9][0-9]* records* lost' ||
	exit 1
# The time of a collection is longer than that of its phases, and is omitted if it is
# longer than its pause, as that of several collections.
python3 - "$gc_out" <<-'END' || exit 1
	import json, sys
	records = [json.loads(line) for line in open(sys.argv[1])]
	times = [(r["gc_ns"], r["phases"][0]["ns"]) for r in records if r["phases"]]
	assert len(times) > 100 and all(gc > phase for gc, phase in times), times
	# There are pauses after the lost ones.
	assert any(b["uptime_ns"] - a["uptime_ns"] > 1e9 for a, b in zip(records, records[1:]))
END
