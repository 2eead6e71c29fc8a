# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for pauses.
# Two JVMs by PID and name: lines with labels, CSV, JSON, a histogram, --min, and
# a signal that prints the totals.  Perf data need no rights.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh

jdk=$(jdks | head -n 1)
target_memory='-XX:+UseSerialGC -Xms64m -Xmx64m'
target "$jdk" -- live=4000 rate=200 full=200 dumps=50 || exit 1
first=$pid
target_memory='-XX:+UseParallelGC -Xms64m -Xmx64m'
target "$jdk" -- live=4000 rate=200 full=200 || exit 1
second=$pid

gc 0 "$first" "$second" 2s --source counters --histogram -q &&
	gc_has "$gc_out" "^Collecting \($first\) .* (full|[0-9]+ pauses) " &&
	gc_has "$gc_out" "^Collecting \($second\) .* (full|[0-9]+ pauses) " &&
	gc_has "$gc_out" '^(full|young) +Serial ' &&
	gc_has "$gc_out" '^(full|young) +Parallel ' &&
	gc_has "$gc_out" '^all collections .*%' &&
	gc_has "$gc_out" '^other safepoints: [0-9]+, stopped ' &&
	gc_has "$gc_out" '^stopped times of collections:' || exit 1
! grep -q '[0-9]  safepoint ' "$gc_out" || { echo 'other stops are listed'; exit 1; }

gc 0 -p "$first" -d 1s --source counters --csv --safepoints -q || exit 1
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

gc 0 "$first" 1s --source counters --json --min 1h && [ ! -s "$gc_out" ] &&
	gc 0 --all 1s --source counters --json -q || exit 1
python3 - "$gc_out" "$first" "$second" <<'END' || exit 1
import json, sys
records = [json.loads(l) for l in open(sys.argv[1])]
assert all(r["schema"] == "sjkc.gc/1" for r in records)
assert {int(p) for p in sys.argv[2:]} <= {r["pid"] for r in records}
END

# A JVM that is given twice is observed once.
gc 0 "$first" -p "$first" 1s --source counters &&
	gc_has "$gc_err" "'$first' is JVM $first, which was already given" &&
	! grep -q ' JVMs' "$gc_out" || { cat "$gc_out"; exit 1; }

gc_start "$first" --source counters && target_wait "$gc_out" ' full ' || exit 1
kill -INT "$gc_job"
gc_end 0 && gc_has "$gc_out" '^full +Serial +System.gc\(\) '

# A JVM ends after it was listed: a full pipe holds gc back at the message about
# the JVM before it.  Such a JVM is not missed.
python3 - "$sjkc" "$first" "$second" <<'END' || exit 1
import os, re, signal, subprocess, sys, time
victim = max(int(p) for p in sys.argv[2:])
other = min(int(p) for p in sys.argv[2:])
read, write = os.pipe()
os.set_blocking(write, False)
filled = 0
for size in (4096, 1):
    try:
        while True:
            filled += os.write(write, b"x" * size)
    except BlockingIOError:
        pass
os.set_blocking(write, True)
gc = subprocess.Popen(
    [sys.argv[1], "gc", "--all", "1s", "--source", "perfdata", "--json"],
    stdout=subprocess.DEVNULL, stderr=write)
os.close(write)
# The first message blocks in write(2, …) when all JVMs have been listed.
for _ in range(3000):
    with open(f"/proc/{gc.pid}/syscall") as f:
        if f.read().split()[1:2] == ["0x2"]:
            break
    time.sleep(0.1)
else:
    sys.exit("gc prints no message")
os.kill(victim, signal.SIGKILL)
while True:  # until it is a zombie: its parent waits for it later
    try:
        with open(f"/proc/{victim}/stat") as f:
            if f.read().rsplit(")", 1)[1].split()[0] in "ZX":
                break
    except OSError:
        break
    time.sleep(0.1)
messages = os.fdopen(read, "rb").read()[filled:].decode()
# 7: another JVM of the machine may lose pauses.
assert gc.wait() in (0, 7), messages
assert f"({other}): " in messages, messages
assert not re.search(rf"\b{victim}\b", messages), messages
END
