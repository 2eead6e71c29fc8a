# SPDX-License-Identifier: Apache-2.0
# Blocked threads and the owners of their locks, by a thread dump and over JMX;
# threads that wait to be notified, or block no thread, are omitted.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

# all_wait COUNT: waits until COUNT threads are blocked, because READY only
# means that they have started.
all_wait() {
	for _ in $(seq 300); do
		timeout 300 "$sjkc" jcmd -p "$pid" Thread.print \
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

# report SOURCE ARGUMENT…: makes a report of ttop --blocked, as JSON.  A reply that
# arrives after the report is not in it, so a busy machine gets more time.
report() {
	source=$1
	shift
	for interval in 200ms 2s 10s 60s; do
		ask 0 ttop "$@" --blocked --json -ri $interval -si 10ms \
			--iterations 1 || return
		! grep -q "\"blocked\":{\"source\":\"$source\"" \
			"$scratch/out" || return 0
	done
	echo "no blocked threads by $source in:"
	cut -c1-2000 "$scratch/out"
	return 1
}

# blocked_as SOURCE: fails unless the report has exactly the program's locks
blocked_as() {
	python3 - "$scratch/out" "$1" <<-'END'
		import json, sys
		b = json.load(open(sys.argv[1]))["blocked"]
		assert b["source"] == sys.argv[2], b["source"]
		t = {x["name"]: x for x in b["threads"]}
		named = lambda x: [n for n in t if t[n]["id"] == x["owner_id"]]
		for name in "blocked-0", "blocked-1":
		    x = t[name]
		    assert x["waits_for"] == "monitor", x
		    assert x["lock_class"] == "java.lang.Object", x
		    assert named(x) == ["main"], x
		    assert x["frame"].startswith("Target.contend(Target.java:"), x
		    assert x["state"] == "BLOCKED", x
		assert t["blocked-0"]["lock_id"] == t["blocked-1"]["lock_id"]
		x = t["parked-0"]
		assert x["waits_for"] == "synchronizer", x
		assert x["lock_class"].endswith("ReentrantLock$FairSync"), x
		assert x["frame"].startswith("Target.park(Target.java:"), x
		assert named(x) == ["main"], x
		assert t["main"]["waits_for"] == "none", t["main"]
		assert t["main"]["holds_back"] == 3, t["main"]
		left, right = t["deadlock-left"], t["deadlock-right"]
		assert named(left) == ["deadlock-right"], left
		assert named(right) == ["deadlock-left"], right
		assert left["deadlock"] == right["deadlock"] and left["deadlock"]
		assert not [n for n in t if n.startswith("waiter")], t
		left = t["lock-deadlock-left"]
		assert left["deadlock"], left
		waiting = [n for n in t if t[n]["waits_for"] != "none"]
		assert len(waiting) == 7, waiting
	END
}

# The identity equals the one in the JVM's own thread dump.
same_lock_as_in_a_dump() {
	report Thread.print -p "$pid" && blocked_as Thread.print || return
	lock=$(python3 -c '
import json, sys
b = json.load(open(sys.argv[1]))["blocked"]
print([t for t in b["threads"] if t["name"] == "blocked-0"][0]["lock_id"])' \
		"$scratch/out")
	ask 0 jcmd -p "$pid" Thread.print &&
		printed "waiting to lock <$lock> (a java.lang.Object)"
}

# ttop requests a thread dump at most once per second.  Before JDK 24, one of
# the threads that wait for a monitor wakes now and then.
since='(>=|in 2 dumps over )[0-9.]+ s'
on_the_screen() {
	ask 0 ttop -p "$pid" --screen 150x40 \
		--keys 'b<show><tick><tick>r' &&
		printed 'blocked threads of' &&
		printed '; it stopped the program for at most' &&
		printed 'holds java.lang.Object <0x' &&
		printed '"blocked-0"' && printed 'blocked now  at Target.contend' &&
		grep -Eq "\"blocked-0\".*  blocked $since  at Target.contend" \
			"$scratch/out" &&
		printed 'DEADLOCK 1: each of these waits for the next' &&
		printed ' every '
}

# The recording contains the blocked threads.
recorded() {
	ask 0 ttop -p "$pid" --screen 150x40 --keys b \
		--record "$scratch/blocked.jsonl" &&
		ask 0 ttop --replay "$scratch/blocked.jsonl" \
			--screen 150x40 --keys b && printed '"blocked-0"'
}

check() {
	target "$1" -- blocked=2 parked=1 waiters=2 deadlock lockdeadlock &&
		all_wait 7 && same_lock_as_in_a_dump && on_the_screen && recorded &&
		ask 0 ttop -p "$pid" --screen 100x20 --keys C &&
		printed 'contention monitoring requires JMX' &&
		report JMX -p "$pid" --jmx && blocked_as JMX && target_end "$pid"
}

# The readers of dumps of all JDKs have unit tests, and tests/jdks/ttop.sh.
check "$(jdks | head -n 1)"
