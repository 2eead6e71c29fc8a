# SPDX-License-Identifier: Apache-2.0
# The CPU time and the allocation of threads equal the counters of /proc and the
# JVM. Passwords, stack traces, deadlocks, and a restart of the JVM work.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh

# tid_of NAME: prints the ID of the thread that has this name in the kernel
tid_of() {
	for task in "/proc/$pid/task"/*; do
		[ "$(cat "$task/comm" 2>/dev/null)" = "$1" ] || continue
		basename "$task"
		return
	done
	return 1
}

# now_ns: prints the time; ran_ns TID: prints the CPU time of the thread
now_ns() { date +%s%N; }
ran_ns() { cut -d ' ' -f 1 "/proc/$pid/task/$1/schedstat"; }

# The CPU time of ttop's interval is at most the CPU time that /proc counts
# around it, and at least that minus the time outside the interval.
counts() {
	tid=$(tid_of burner-0) || { echo 'no burner'; return 1; }
	rm -f "$scratch/recorded"
	began=$(now_ns) before=$(ran_ns "$tid")
	ask 0 ttop -s "127.0.0.1:$port" --json -ri 2s --iterations 1 -n 0 \
		--record "$scratch/recorded" || return
	after=$(ran_ns "$tid") ended=$(now_ns)
	# Replaying the recording prints the same.
	timeout 300 "$sjkc" ttop --replay "$scratch/recorded" --json -n 0 \
		>"$scratch/replayed" 2>&1 &&
		cmp "$scratch/out" "$scratch/replayed" || return
	python3 - "$scratch/out" "$scratch/recorded" $((after - before)) \
		$((ended - began)) <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		recorded = [json.loads(l) for l in open(sys.argv[2])]
		used, around = int(sys.argv[3]) / 1e9, int(sys.argv[4]) / 1e9
		t = {t["name"]: t for t in d["threads"]}
		seconds = d["interval_s"]
		assert 1.9 < seconds < around + 0.01, (seconds, around)
		burnt = t["burner-0"]["cpu_pct"] / 100 * seconds
		slack = 0.02
		assert burnt < used + slack, (burnt, used)
		assert burnt > used - (around - seconds) - slack, (burnt, used)
		assert t["burner-0"]["tid"] is None and t["burner-0"]["id"] > 0
		assert t["burner-0"]["runq_pct"] is None
		assert t["burner-0"]["state"] == "RUNNABLE", t["burner-0"]
		assert d["process"]["safepoints_per_s"] is None
		assert d["process"]["vm_pct"] is None
		assert d["process"]["cpu_pct"] > 0
		assert d["process"]["gc"], d["process"]
		# The allocation rate equals that of the counters, to the byte.
		samples = [r for r in recorded if "threads" in r]
		names = [[x for x in s["threads"] if x["name"] == "allocator-0"][0]
			 for s in samples]
		# The process's CPU time is read after that of its threads.
		for s, n in zip(samples, names):
		    burner, = [x for x in s["threads"] if x["name"] == "burner-0"]
		    assert s["process"]["cpu"] >= burner["cpu"], (s, burner)
		more = names[-1]["alloc"] - names[0]["alloc"]
		rate = t["allocator-0"]["alloc_bytes_per_s"]
		assert abs(rate * seconds - more) < 1 + more * 1e-6, (rate, more)
		assert more % 8 == 0 and more > 4096, more
		assert t["allocator-0"]["waits_per_s"] > 0
		assert t["allocator-0"]["wait_pct"] is None
	END
}

# The recorded allocation is between the JVM's counters before and after.
allocation_equals_the_jvms_counter() {
	id=$(python3 - "$scratch/recorded" <<-'END'
		import json, sys
		for line in open(sys.argv[1]):
		    for t in json.loads(line).get("threads", []):
		        if t["name"] == "allocator-0":
		            print(t["id"])
		            sys.exit()
	END
	)
	bytes="invoke=java.lang:type=Threading/getThreadAllocatedBytes(long:$id)"
	rm -f "$scratch/recorded"
	before=$("$TOOLS/ask_jmx" "127.0.0.1:$port" "$bytes" | tr -dc '0-9')
	ask 0 ttop -s "127.0.0.1:$port" --csv -ri 100ms --iterations 1 \
		--record "$scratch/recorded" || return
	after=$("$TOOLS/ask_jmx" "127.0.0.1:$port" "$bytes" | tr -dc '0-9')
	python3 - "$scratch/recorded" "$before" "$after" <<-'END'
		import json, sys
		seen = [t["alloc"] for l in open(sys.argv[1])
			for t in json.loads(l).get("threads", [])
			if t["name"] == "allocator-0"]
		assert len(seen) == 2 and seen == sorted(seen), seen
		assert int(sys.argv[2]) <= seen[0], (sys.argv, seen)
		assert seen[1] <= int(sys.argv[3]), (sys.argv, seen)
	END
}

shows_stacks_and_deadlocks() {
	ask 0 ttop -s "127.0.0.1:$port" --screen 150x50 -f 'blocked-0' \
		--keys '<enter><show>' &&
		printed 'BLOCKED' && printed 'at Target.' &&
		printed '- waiting to lock java.lang.Object@' &&
		printed ', held by "main" #' || return
	ask 0 ttop -s "127.0.0.1:$port" --screen 150x50 --keys 'd<show>' &&
		printed '"deadlock-left"' && printed '"deadlock-right"' &&
		printed 'waits for java.lang.Object@'
}

# The JVM ends and is restarted while ttop runs.
continues_with_a_restarted_jvm() {
	: >"$scratch/out"
	env --default-signal=INT,TERM "$sjkc" ttop -s "127.0.0.1:$port" -b \
		-ri 300ms -si 10ms --timeout 300s --reconnect 10m \
		>"$scratch/out" 2>"$scratch/err" </dev/null &
	ttop=$!
	target_pids="$target_pids $ttop"
	target_wait "$scratch/out" ' - burner-0' || return
	target_end "$pid"
	target_wait "$scratch/err" 'connecting again for 600' "$ttop" || return
	target "$1" "$jmx.port=$port" "$jmx.rmi.port=$port" \
		"$jmx.host=127.0.0.1" "$jmx.ssl=false" \
		"$jmx.authenticate=false" \
		-Djava.rmi.server.hostname=127.0.0.1 -- threads=1 burners=2 ||
		return
	target_wait "$scratch/err" 'restarted' &&
		target_wait "$scratch/out" ' - burner-1' || return
	kill -TERM "$ttop"
	wait "$ttop"
	status=$?
	[ $status -eq 0 ] && target_end "$pid" && return
	echo "exit status $status"
	return 1
}

logs_in() {
	echo 'monitor secret' >"$scratch/passwords"
	echo 'control other' >>"$scratch/passwords"
	printf 'monitor readonly\ncontrol readwrite\n' >"$scratch/access"
	chmod 600 "$scratch/passwords" "$scratch/access"
	echo other >"$scratch/password"
	jmx_target "$1" "$jmx.authenticate=true" \
		"$jmx.password.file=$scratch/passwords" \
		"$jmx.access.file=$scratch/access" -- burners=1 || return
	ask 0 ttop -s "127.0.0.1:$port" -b -ri 100ms --iterations 1 \
		--user control --password-file "$scratch/password" &&
		printed ' - burner-0' || return
	# A user with read-only access may not invoke the operations.
	echo secret >"$scratch/password"
	ask 4 ttop -s "127.0.0.1:$port" -b -ri 100ms --iterations 1 \
		--user monitor --password-file "$scratch/password" &&
		said 'invoke operations (RMI: readwrite;' || return
	ask 4 ttop -s "127.0.0.1:$port" -b --iterations 1 &&
		target_end "$pid"
}

check() {
	jmx_target "$1" -- burners=1 allocators=1 blocked=1 deadlock &&
		counts && allocation_equals_the_jvms_counter &&
		shows_stacks_and_deadlocks &&
		continues_with_a_restarted_jvm "$1" &&
		logs_in "$1"
}

for_each_jdk check
