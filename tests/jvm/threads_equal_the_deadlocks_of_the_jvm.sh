# SPDX-License-Identifier: Apache-2.0
# sjkc threads takes dumps of a JVM and finds the deadlocks that its
# ThreadMXBean finds, owners of locks, and threads that do not move.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

# all_wait COUNT: waits until COUNT threads are blocked, because READY only
# means that they have started.
all_wait() {
	for _ in $(seq 300); do
		timeout 300 "$sjkc" threads --json "$pid" \
			>"$scratch/dump" 2>&1 || break
		grep -q "\"blocked\":$1,\"deadlocks\"" "$scratch/dump" && return
		sleep 0.1
	done
	echo "never were $1 threads blocked:"
	cut -c1-2000 "$scratch/dump"
	return 1
}

report_equals_the_mbean() {
	ask 0 mx -p "$pid" -q -b java.lang:type=Threading --call \
		-op findDeadlockedThreads &&
		tr -c '0-9\n' ' ' <"$scratch/out" >"$scratch/ids" &&
		ask 0 threads -l --json --count 2 --interval 100ms "$pid" &&
		python3 - "$scratch/out" "$scratch/ids" <<-'END'
		import json, sys
		r = json.load(open(sys.argv[1]))
		assert r["schema"] == "sjkc.threads/1" and r["dump"] == 2, r["dump"]
		t = {x["name"]: x for x in r["threads"]}
		of = lambda n: t[n]["blocked"]
		ids = {int(word) for word in open(sys.argv[2]).read().split()}
		ours = {x["id"] for x in r["threads"]
			if x["blocked"] and x["blocked"]["deadlock"]}
		assert ours == ids and len(ours) == 4, (ours, ids)
		assert r["dumps"][1]["deadlocks"] == 2, r["dumps"]
		assert r["dumps"][1]["vm_deadlocks"] == 2, r["dumps"]
		assert not r["dumps"][1]["is_of_another_jvm"]
		for name in "blocked-0", "blocked-1":
		    assert of(name)["owner"] == "main", t[name]
		    assert of(name)["kind"] == "monitor", t[name]
		    assert t[name]["dumps_without_a_move"] == 2, t[name]
		assert of("parked-0")["owner"] == "main", t["parked-0"]
		assert of("parked-0")["kind"] == "synchronizer", t["parked-0"]
		assert not [n for n in t if n.startswith("waiter") and of(n)]
		pools = {p["name"]: p["threads"] for p in r["pools"]}
		assert pools["blocked-*"] == 2 and pools["waiter-*"] == 2, pools
	END
}

text_names_the_holder() {
	ask 0 threads -l -n 5 "$pid" && printed '2 DEADLOCKS' &&
		printed 'holds java.lang.Object <0x' && printed '"blocked-0"' &&
		printed 'The JVM reports the same number of deadlocks.'
}

for jdk in $(jdks); do
	target "$jdk" -- blocked=2 parked=1 waiters=2 deadlock lockdeadlock &&
		all_wait 7 && report_equals_the_mbean &&
		text_names_the_holder && target_end "$pid" || exit 1
done
