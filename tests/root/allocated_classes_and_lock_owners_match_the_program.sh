# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# Allocations are reported with their class and bytes; waits for a monitor with
# the monitor's class and its owner.  The eBPF program reads both from the JVM's
# memory when the agent is called, with every collector and layout of object
# headers.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
target_program=Owned

cat >"$scratch/check.py" <<'END'
import json, sys

reports = {r["event"]: r for r in json.load(open(sys.argv[1]))["reports"]}

def rows(event, part, *key):
    return {tuple(row[k] for k in key): row["total_percent"]
            for row in reports[event][part]}

classes = rows("alloc", "classes", "class")
assert 60 < classes[("byte[]",)] < 80, classes
assert 20 < classes[("long[]",)] < 40, classes
frame = reports["alloc"]["frames"][0]
assert frame["frame"] == "Owned.allocate" and frame["self_percent"] > 90, frame
assert rows("lock", "classes", "class")[("Owned$Gate",)] > 99
# The first wait may have begun before sampling.
owners = rows("lock", "owners", "owner", "monitor")
assert owners[("owner-of-the-gate", "Owned$Gate")] > 80, owners
END

# check JDK [FLAG…]
check() {
	target "$@" -- || return
	prof 0 -e alloc,lock -d 2s --alloc-interval 64k --json "$pid" || return
	python3 "$scratch/check.py" "$prof_out" ||
		{ cut -c 1-2000 "$prof_out"; return 1; }
	echo "| $(basename "$1") $2: classes and owners"
	target_end "$pid"
}

for jdk in $(jdks); do
	check "$jdk" || exit 1
done
target_memory=-Xmx128m
check "$jdk" -XX:+UseZGC &&
	check "$jdk" -XX:-UseCompressedClassPointers || exit 1
"$jdk/bin/java" -XX:+UseCompactObjectHeaders -version >"$scratch/compact" 2>&1 &&
	{ check "$jdk" -XX:+UseCompactObjectHeaders || exit 1; }

target "$jdk" -- || exit 1
prof 0 -e alloc -d 1s -o "$scratch/with.collapsed" "$pid" &&
	has "$scratch/with.collapsed" ';Owned\.allocate;byte\[\] ' || exit 1
prof 0 -e alloc -d 1s --no-class -o "$scratch/without.collapsed" "$pid" &&
	has "$scratch/without.collapsed" ';Owned\.allocate [0-9]' || exit 1
! grep 'byte\[\]' "$scratch/without.collapsed" || exit 1
target_end "$pid"

# A thread that owns a monitor and sleeps all the time is off-CPU.  JDK 17
# exports the owner of such a monitor, JDK 25 does not (ANONYMOUS_OWNER).
target "$(jdks | head -n 1)" -- late || exit 1
prof 0 -e offcpu,lock -d 2s --json -n 1000 "$pid" || exit 1
python3 - "$prof_out" <<'END' || { cut -c 1-2000 "$prof_out"; exit 1; }
import json, sys

reports = {r["event"]: r for r in json.load(open(sys.argv[1]))["reports"]}
asleep = [t for t in reports["offcpu"]["threads"] if t["thread"] == "sleeps"]
assert asleep, reports["offcpu"]["threads"]
END
target_end "$pid"

# Virtual threads own monitors as well, since JDK 24 by their own ids.
jdk=
for home in $(all_jdks); do
	case $(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release") in
	2[4-9] | [3-9][0-9]) jdk=$home ;;
	esac
done
[ -n "$jdk" ] || { echo '| no JDK 24 or later: no virtual threads'; exit 0; }
target_program=Turns
target "$jdk" -- 0 8 || exit 1
prof 0 -e lock -d 1s --json "$pid" || exit 1
python3 - "$prof_out" <<'END' || { cut -c 1-2000 "$prof_out"; exit 1; }
import json, sys

owners = json.load(open(sys.argv[1]))["reports"][0]["owners"]
assert sum(r["total_percent"] for r in owners
           if r["java_id"] and not r["os_id"]) > 80, owners
names = {r["owner"] for r in owners}
# The name depends on whether the thread was found on a carrier.
assert any(n and n.startswith(("virtual-", "[virtual")) for n in names), names
END
target_end "$pid"
