# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# Locks of the class Object are distinguished by the methods that hold them.  The
# time that threads waited for each method is that of the program's own account.
# If C2 has inlined a method, the time belongs to the method that contains it, and
# never to another one.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
target_program=Held

cat >"$scratch/check.py" <<'END'
import datetime, json, sys

report = json.load(open(sys.argv[1]))["reports"][0]
rows = [r for r in report["owner_methods"] if r["monitor"] == "java.lang.Object"]
truth = {}
for line in open(sys.argv[2]):
    name, *ns = line.split()
    if name == "BEGAN":
        began = int(ns[0]) / 1000
    if name == "GAPS":
        gaps = int(ns[0])
    if name in ("fetch", "compute", "store"):
        truth["Held." + name] = int(ns[0])
start = datetime.datetime.fromisoformat(report["from"].replace("Z", "+00:00"))
if start.timestamp() > began:
    print("| sampling began after the program")
    sys.exit(3)
got = {name: sum(r["total_ns"] for r in rows if r["method"] == name)
       for name in truth}
other = sum(r["total_ns"] for r in rows) - sum(got.values())
print("| gaps", gaps // 10**6, "ms,", {name: (got[name] // 10**6, truth[name] // 10**6) for name in truth},
      "ms, other", other // 10**6)
whole = sum(truth.values())
# Nobody holds a lock that its next owner cannot take without a CPU.
limit = 0.08 * whole + gaps
assert len(truth) == 3 and whole > 10**9, truth
for name, ns in truth.items():
    assert got[name] - ns < limit, (name, rows)
    assert sys.argv[3] == "inlined" or ns - got[name] < limit, (name, rows)
if sys.argv[3] == "inlined":
    assert {r["method"] for r in rows} <= {*truth, None, "Held.enter"} or all(
        r["method"].startswith("Held.lambda$") for r in rows
        if r["method"] not in {*truth, None, "Held.enter"}), rows
    assert abs(sum(r["total_ns"] for r in rows) - whole) < limit, rows
else:
    assert other < limit, rows
END

# check JDK exact|inlined [FLAG…]: tries again, later, if sampling began after the
# program
check() {
	jdk=$1 compiled=$2
	shift 2
	set -- "$jdk" "$@"
	for pause in 1 3 9 27; do
		check_once "$@"
		status=$?
		[ $status -eq 3 ] || return $status
	done
	return 1
}

check_once() {
	rm -f "$scratch/go"
	target "$@" -- "$scratch/go" || return
	prof_start -e lock --json -n 100 "$pid"
	target_wait "$prof_err" 'loaded the sjkc agent' || return
	sleep "$pause"
	: >"$scratch/go"
	target_wait "$said" DONE || return
	kill -INT "$prof_pid"
	prof_end 0 || return
	python3 "$scratch/check.py" "$prof_out" "$said" "$compiled"
	status=$?
	target_end "$pid"
	[ $status -eq 0 ] || [ $status -eq 3 ] || cut -c 1-2000 "$prof_out"
	return $status
}

for jdk in $(all_jdks); do
	check "$jdk" exact || exit 1
	check "$jdk" inlined -Xcomp -XX:-TieredCompilation \
		-XX:TieredStopAtLevel=4 "-XX:CompileOnly=Held.*" || exit 1
done
