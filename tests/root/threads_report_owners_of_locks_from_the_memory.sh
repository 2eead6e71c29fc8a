# SPDX-License-Identifier: Apache-2.0
# sjkc threads reports the owners of locks of java.util.concurrent without -l,
# from the memory of the JVM, with the virtual threads that wait for locks or own
# locks, and a reason if it may not read the memory.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
[ "$(id -u)" = 0 ] || { echo 'needs the right to trace'; exit 77; }
target_program=LockOwners

# Each waiter has the owner of its lock in its name.
owners_are_right() {
	ask 0 threads -q --json "$pid" && [ ! -s "$scratch/err" ] &&
		python3 - "$scratch/out" "$virtual" <<-'END'
		import json, sys
		r = json.load(open(sys.argv[1]))
		t = {x["name"]: x for x in r["threads"]}
		is_virtual = sys.argv[2] == "virtual"
		waiters = [n for n in t if n.startswith("w/")]
		assert len(waiters) == (24 if is_virtual else 16), waiters
		for n in waiters:
		    truth = n.split("/")[3]
		    b = t[n]["blocked"] or {"owner": None}
		    assert b["owner"] == (None if truth == "-" else truth), t[n]
		# The lock of a signalled thread, not its condition.
		b = t[[n for n in waiters if "/reacquired/" in n][0]]["blocked"]
		assert b["class"].endswith("ReentrantLock$NonfairSync"), b
		cycles = [("platform-1", "platform-2"), ("mixed-lock", "mixed-monitor")]
		# The JVM reports no deadlocks of virtual threads.
		if is_virtual:
		    cycles += [("virtual-1", "virtual-2"), ("both-1", "both-2")]
		if "enters-lock" in t:
		    cycles.append(("enters-lock", "enters-monitor"))
		    cycles.append(("owns-lock", "owns-monitor"))
		for cycle in cycles:
		    a, b = (t[n]["blocked"] for n in cycle)
		    assert a["deadlock"] == b["deadlock"] != None, (a, b)
		    assert (b["owner"], a["owner"]) == cycle, (a, b)
		assert r["dumps"][0]["deadlocks"] == len(cycles), r["dumps"]
		assert r["dumps"][0]["vm_deadlocks"] == 2, r["dumps"]
		ids = {(b["lock"], b["owner"]) for b in
		       (x["blocked"] for x in t.values()) if b and b["owner"]}
		assert len({lock for lock, _ in ids}) == len(ids), ids
	END
}

# The other owners are known, so these locks have none.
text_names_read_locks() {
	ask 0 threads "$pid" && printed 'Owner unknown (read locks have none)'
}

memory_is_refused() {
	timeout 300 "$TOOLS/without_bpf" -m "$sjkc" threads --count 2 \
		--interval 10ms "$pid" >"$scratch/out" 2>"$scratch/err" &&
		[ "$(grep -c memory "$scratch/err")" = 1 ] &&
		grep -q 'cannot read owners of locks .*seccomp.*-l makes' \
			"$scratch/err" && printed 'Owner unknown (the dump lacks'
}

for jdk in $(jdks); do
	virtual=
	! grep -Eq '^JAVA_VERSION="(2[1-9]|3)' "$jdk/release" || virtual=virtual
	target "$jdk" -- deadlocks $virtual && owners_are_right &&
		text_names_read_locks && memory_is_refused || {
			cat "$scratch/out" "$scratch/err"
			exit 1
		}
	target_end "$pid"
done
