# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for pauses.
# Two JVMs by PID and name: lines with labels, CSV, JSON, a histogram, --min, and
# a signal that prints the totals.  Perf data need no rights.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh

jdk=$(jdks)
target_memory='-XX:+UseSerialGC -Xms64m -Xmx64m'
target "$jdk" -- live=4000 rate=200 full=200 dumps=50 || exit 1
first=$pid
target_memory='-XX:+UseParallelGC -Xms64m -Xmx64m'
target "$jdk" -- live=4000 rate=200 full=200 || exit 1
second=$pid

gc 0 "$first" "$second" 2s --source perfdata --histogram -q &&
	gc_has "$gc_out" "^Collecting \($first\) .* (full|[0-9]+ pauses) " &&
	gc_has "$gc_out" "^Collecting \($second\) .* (full|[0-9]+ pauses) " &&
	gc_has "$gc_out" '^(full|young) +Serial ' &&
	gc_has "$gc_out" '^(full|young) +Parallel ' &&
	gc_has "$gc_out" '^all collections .*%' &&
	gc_has "$gc_out" '^other safepoints: [0-9]+, stopped ' &&
	gc_has "$gc_out" '^stopped times of collections:' || exit 1
! grep -q '[0-9]  safepoint ' "$gc_out" || { echo 'other stops are listed'; exit 1; }

gc 0 -p "$first" -d 1s --source perfdata --csv --safepoints -q || exit 1
python3 - "$gc_out" "$first" <<'END' || exit 1
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert rows and all(r["pid"] == sys.argv[2] for r in rows), rows[:2]
assert {"full", "safepoint"} & {r["kind"] for r in rows}, rows
for r in rows:
    assert int(r["stopped_ns"]) >= int(r["sync_ns"]) >= 0, r
    if r["kind"] == "safepoint":
        assert not r["gc_ns"] and not r["cause"], r
END

gc 0 "$first" 1s --source perfdata --json --min 1h && [ ! -s "$gc_out" ] &&
	gc 0 --all 1s --source perfdata --json -q || exit 1
python3 - "$gc_out" "$first" "$second" <<'END' || exit 1
import json, sys
records = [json.loads(l) for l in open(sys.argv[1])]
assert all(r["schema"] == "sjkc.gc/1" for r in records)
assert {int(p) for p in sys.argv[2:]} <= {r["pid"] for r in records}
END

# A JVM that is given twice is observed once.
gc 0 "$first" -p "$first" 1s --source perfdata &&
	gc_has "$gc_err" "'$first' is JVM $first, which was already given" &&
	! grep -q ' JVMs' "$gc_out" || { cat "$gc_out"; exit 1; }

gc_start "$first" --source perfdata && target_wait "$gc_out" ' full ' || exit 1
kill -INT "$gc_job"
gc_end 0 && gc_has "$gc_out" '^full +Serial +System.gc\(\) '
