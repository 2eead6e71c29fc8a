# SPDX-License-Identifier: Apache-2.0
# ttop with every collector of a JDK: pauses, the collector's threads, and who
# blocks whom.
sjkc=$1
scratch=$2
version=$3
. tests/jvm/lib/target.sh
. tests/jvm/lib/jdk.sh

# run ARGUMENT…: runs ttop; its report is $scratch/out
run() {
	timeout 60 "$sjkc" ttop "$@" >"$scratch/out" 2>"$scratch/err" && return
	echo "ttop $*: exit status $?"
	cat "$scratch/err"
	return 1
}

# with_collector EXACT|BOUND OPTION…: the program allocates until there was a
# collection.  A pause is always within a safepoint, so the sum of the pauses is
# at most that of the safepoints; counters of concurrent phases would exceed it.
with_collector() {
	counted=$1
	shift
	# shellcheck disable=SC2034 # for target_start
	target_memory="-Xmx64m $*"
	jdk_target "$version" -- allocators=2 waiters=1 || return
	rm -f "$scratch/record"
	for _ in $(seq 20); do
		rm -f "$scratch/record"
		run -p "$pid" --json -n 0 -ri 500ms -si 50ms --iterations 2 \
			--record "$scratch/record" || return
		collected "$counted"
		status=$?
		[ $status -eq 9 ] || break
	done
	target_end "$pid"
	return "$status"
}

# collected EXACT|BOUND: status 9 = no collection so far
collected() {
	python3 - "$scratch/record" "$scratch/out" "$1" <<-'END'
		import json, sys
		samples = [json.loads(l) for l in open(sys.argv[1])][1:]
		p = samples[-1]["process"]
		gc = p["gc"]
		if not sum(g["count"] for g in gc):
		    sys.exit(9)
		spent = sum(g["time"] for g in gc) / 1e6
		stopped = p["safepoint_time"] / 1e6
		names = [g["name"] for g in gc]
		assert spent <= stopped * 1.05 + 5, (spent, stopped, names)
		bound = all(g.get("at_most") for g in gc)
		assert bound == (sys.argv[3] == "BOUND"), gc
		assert "PCopy" not in names and "MSC" not in names, names
		assert p.get("gc_cause"), p
		last = json.loads(open(sys.argv[2]).read().splitlines()[-1])
		vm = {t["name"] for t in last["threads"] if t["kind"] == "vm"}
		allowed = {"VM Thread", "VM Periodic Task Thread",
		           "Service Thread", "Monitor Deflation Thread"}
		assert vm <= allowed, vm
		print("|", ", ".join(names) if len(names) < 3 else
		      names[0] + ", ...")
	END
}

# from_beans: status 9 = the busy JVM has not replied twice
from_beans() {
	python3 - "$scratch/out" <<-'END'
		import json, sys
		p = json.loads(open(sys.argv[1]).read().splitlines()[-1])["process"]
		if p["gc_pause_pct_is_upper_bound"] or p["gc_pause_pct"] is None:
		    sys.exit(9)
		names = [g["name"] for g in p["gc"]]
		assert not [n for n in names if "Cycles" in n], names
		print("|", ", ".join(names))
	END
}

# If perfdata counts no pauses, the MXBean does.
over_jmx() {
	# shellcheck disable=SC2034 # for target_start
	target_memory="-Xmx64m $*"
	jdk_target "$version" -- allocators=2 || return
	for _ in $(seq 20); do
		run -p "$pid" --jmx --json -ri 1s -si 50ms --iterations 2 ||
			return
		from_beans
		status=$?
		[ $status -eq 9 ] || break
	done
	target_end "$pid"
	return "$status"
}

# all_wait COUNT: waits until COUNT threads are blocked, because READY only means
# that they have started
all_wait() {
	for _ in $(seq 300); do
		timeout 60 "$sjkc" jcmd -p "$pid" Thread.print \
			>"$scratch/dump" 2>&1 || break
		awk -v count="$1" '/^"/ { name = $1 }
			/- (waiting to lock|parking to wait for) / &&
			name ~ /^"(blocked|parked|deadlock|lock-deadlock)-/ {
				seen[name]
			}
			END { for (each in seen) n++; exit n < count }' \
			"$scratch/dump" && return
		sleep 0.1
	done
	echo "never were $1 threads blocked:"
	cat "$scratch/dump"
	return 1
}

blocked() {
	# shellcheck disable=SC2034 # for target_start
	target_memory=
	jdk_target "$version" -- blocked=2 parked=1 waiters=2 deadlock || return
	all_wait 5 &&
		run -p "$pid" --blocked --json -ri 200ms -si 10ms \
			--iterations 1 &&
		python3 - "$scratch/out" <<-'END'
			import json, sys
			b = json.load(open(sys.argv[1]))["blocked"]["threads"]
			t = {x["name"]: x for x in b}
			waits = {n for n in t if t[n]["waits_for"] != "none"}
			assert waits == {"blocked-0", "blocked-1", "parked-0",
			    "deadlock-left", "deadlock-right"}, waits
			assert t["blocked-0"]["owner_id"] == t["main"]["id"], t
			assert t["blocked-0"]["lock_class"] == "java.lang.Object"
			assert t["deadlock-left"]["deadlock"], t
		END
	status=$?
	target_end "$pid"
	return "$status"
}

cell 'ttop Serial' with_collector EXACT -XX:+UseSerialGC
cell 'ttop Parallel' with_collector EXACT -XX:+UseParallelGC
cell 'ttop G1' with_collector EXACT -XX:+UseG1GC
case $version in
8) cell 'ttop CMS' with_collector EXACT -XX:+UseConcMarkSweepGC ;;
11)
	cell 'ttop CMS' with_collector EXACT -XX:+UseConcMarkSweepGC
	experimental='-XX:+UnlockExperimentalVMOptions -XX:+UseZGC'
	# shellcheck disable=SC2086 # words
	cell 'ttop ZGC' with_collector BOUND $experimental
	# shellcheck disable=SC2086 # words
	cell 'ttop --jmx ZGC' over_jmx $experimental
	;;
*) cell 'ttop ZGC' with_collector EXACT -XX:+UseZGC ;;
esac
case $version in
8) ;;
*)
	cell 'ttop Shenandoah' with_collector BOUND -XX:+UseShenandoahGC
	cell 'ttop --jmx Shenandoah' over_jmx -XX:+UseShenandoahGC
	;;
esac
cell 'ttop --blocked' blocked
