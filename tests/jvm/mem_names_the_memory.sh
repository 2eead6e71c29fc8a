# SPDX-License-Identifier: Apache-2.0
# An account of memory names the memory of a program that has known amounts of each
# kind: the sum is RSS, malloc_trim() returns what was predicted, and the numbers are
# those of NMT, of the kernel and of the program.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

# check PROGRAM ARGUMENT…: runs a Python program with the document a
check() {
	python3 -c '
import json, sys
def document(path):
	d = json.load(open(path))
	d["part"] = {p["name"]: p for p in d["parts"]}
	return d
def near(what, is_, wanted, share):
	if abs(is_ - wanted) > share * wanted:
		sys.exit(f"{what}: {is_}, not {wanted}")
MIB = 1 << 20
a = document(sys.argv[1])
'"$@"
}

account() {
	ask 0 mem "$pid" --json -o "$scratch/$1.json"
}

resident() {
	awk '/^Rss:/ { print $2 * 1024 }' "/proc/$pid/smaps_rollup"
}

stops() {
	"$sjkc" vminfo "$pid" --perf | awk -F': ' '/^sun.rt.safepoints/ { print $2 }'
}

# Compilers allocate and free memory: none may run between two accounts.
await_compilers() {
	idle=0
	for i in $(seq 200); do
		grep -l '^Name:.C[12] Compiler' "/proc/$pid/task"/*/status |
			xargs grep -L '^State:.S' | grep -q . && idle=0
		idle=$((idle + 1))
		[ $idle -lt 4 ] || break
		sleep 0.1
	done
}

target_program=Memory
for jdk in $(jdks); do
	target_memory='-Xmx64m -XX:+UseSerialGC -XX:NativeMemoryTracking=summary'
	target "$jdk" -- direct=20 inflaters=400 fragments=64 mapped=8 threads=50 ||
		exit 1
	# The JVM stops for its own cleanup, too, and its compilers allocate and free
	# memory, but not each time.
	for _ in $(seq 20); do
		before="$(stops) $(resident)"
		account first || exit 1
		rss=$(resident)
		after="$(stops) $rss"
		[ "$before" != "$after" ] || break
		sleep 0.2
	done
	[ "$before" = "$after" ] || { echo "the JVM was stopped: $before $after"; exit 1; }
	check '
rss = int(sys.argv[2])
near("RSS", a["rss_bytes"], rss, 0.002)
near("the sum of the parts", sum(p["resident_bytes"] for p in a["parts"]), a["rss_bytes"], 0.002)
if a["part"]["unknown"]["resident_bytes"] > 0.03 * rss:
	sys.exit("unknown: %d of %d" % (a["part"]["unknown"]["resident_bytes"], rss))
near("direct buffers", a["direct"]["capacity_bytes"], 40 * MIB, 0.01)
near("their number", a["direct"]["count"], 20 * 65, 0.01)
near("mapped files", a["part"]["files"]["resident_bytes"], 8 * MIB, 1)
sizes = {s["size_bytes"]: s["blocks"] for s in a["sizes"]}
near("states of Inflaters", sizes.get(7168, 0), 400, 0.02)
if sizes.get(32784, 0) < 400: # the JVM has some of this size, too
	sys.exit(f"windows of Inflaters: {sizes.get(32784, 0)}")
names = [t["name"] for t in a["threads"]]
if sum(n.startswith("sleeper-") for n in names) != 50:
	sys.exit(f"threads: {names}")
if "trim" not in [v["rule"] for v in a["verdict"]]:
	sys.exit("verdict: %s" % a["verdict"])' "$scratch/first.json" "$rss" || exit 1
	ask 0 jcmd "$pid" VM.native_memory summary scale=KB || exit 1
	check '
import re
t = open(sys.argv[2]).read()
def kb(pattern):
	found = re.search(pattern, t, re.S)
	return int(found[1]) * 1024 if found else 0
near("heap", a["part"]["heap"]["committed_bytes"],
	kb(r"Java Heap \(reserved=\d+KB, committed=(\d+)"), 0.001)
near("code cache", a["part"]["code"]["committed_bytes"],
	kb(r" Code \(reserved.*?mmap: reserved=\d+KB, committed=(\d+)"), 0.05)
near("metaspace", a["part"]["metaspace"]["committed_bytes"],
	kb(r" Class \(reserved.*?mmap: reserved=\d+KB, committed=(\d+)") +
	kb(r" Metaspace \(reserved.*?mmap: reserved=\d+KB, committed=(\d+)"), 0.05)' \
		"$scratch/first.json" "$scratch/out" || exit 1

	# What comes back is what was predicted, where the JVM can trim.
	await_compilers
	account before || exit 1
	if "$sjkc" mem "$pid" --trim >"$scratch/out" 2>"$scratch/err"; then
		check '
import re
def megabytes(path, pattern):
	return float(re.search(pattern, open(path).read())[1])
trimmed = megabytes(sys.argv[2], r"malloc -([\d.]+) MB")
announced = megabytes(sys.argv[3], r"([\d.]+) MB should come back")
if not ("at least" in open(sys.argv[3]).read() and trimmed > announced):
	near("trimmed", trimmed, announced, 0.02)' \
			"$scratch/before.json" "$scratch/out" "$scratch/err" || exit 1
		account after || exit 1
		ask 0 mem --diff "$scratch/before.json" "$scratch/after.json" || exit 1
		grep -q 'RSS -' "$scratch/out" || { cat "$scratch/out"; exit 1; }
	else
		said 'requires JDK 17.0.9' || exit 1
	fi
	target_end "$pid"

	# Each second has 75 more Inflaters.
	target "$jdk" -- leak=75 || exit 1
	ask 0 mem "$pid" --watch 2s -d 8s || exit 1
	# A young JVM grows without a leak, too.
	grep -q '^  java.util.zip.Inflater +[0-9]* (by the sizes of blocks)' "$scratch/out" &&
		grep -q '^malloc grew in each of the last .*, but the JVM started' \
			"$scratch/out" &&
		! grep -q 'probably a leak' "$scratch/out" ||
		{ cat "$scratch/out"; exit 1; }
	ask 0 mem "$pid" --watch 1s -d 2s --json || exit 1
	check '
lines = [json.loads(line) for line in open(sys.argv[2])]
if [d["schema"] for d in lines[:2]] != ["sjkc.mem/1", "sjkc.mem-growth/1"]:
	sys.exit("schemas: %s" % [d["schema"] for d in lines])
last = lines[-1]
if last["of"] != "watch" or last.get("in_use_bytes", 1) <= 0 or not last["course"]:
	sys.exit(f"the last line: {last}")
if last["rss_bytes"] != sum(d["rss_bytes"] for d in lines[1:-1]):
	sys.exit("intervals: %s" % [d["rss_bytes"] for d in lines[1:]])' \
		"$scratch/first.json" "$scratch/out" || exit 1
	target_end "$pid"
done
exit 0
