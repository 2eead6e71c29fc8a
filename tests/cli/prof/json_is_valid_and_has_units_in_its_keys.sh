command -v python3 >/dev/null || { echo 'no python3'; exit 77; }
printf 'main;\303\244 "q" \\;\033[31m 3\nmain;b 1\n' >in.folded
check() {
	sjkc prof -q --json "$@" | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["schema"] == "sjkc.prof/1"
for r in d["reports"]:
	unit = r["unit"]
	whole = r["total_" + unit]
	assert abs(r["total_percent"] - 100) < 1e-9
	own = sum(f["self_" + unit] for f in r["frames"])
	assert own + r["without_stack_" + unit] == whole, (own, whole)
	assert sum(t["total_" + unit] for t in r["threads"]) == whole
	for part in "classes", "owners":
		if r[part]:
			assert sum(c["total_" + unit] for c in r[part]) == whole
			assert sum(c["samples"] for c in r[part]) == r["samples"]
	for row in r["frames"] + r["calls"]:
		assert row["self_" + unit] <= row["total_" + unit] <= whole
		share = 100 * row["total_" + unit] / whole
		assert abs(row["total_percent"] - share) < 0.001
	# Callers precede their callees and weigh at least as much.
	path = []
	for row in r["calls"]:
		assert row["depth"] <= len(path)
		del path[row["depth"]:]
		path.append(row["total_" + unit])
		assert sorted(path, reverse=True) == path
	print(r["event"], unit, len(r["frames"]) > 0, len(r["classes"]) > 0,
	      len(r["calls"]) > 0)
'
}
check -n 0 --format collapsed -i in.folded
check -n 0 -i "$DATA/jfr/ap-lock.jfr"
check -n 0 -i "$DATA/jfr/ap-lock.jfr" --samples
check -n 0 -i "$DATA/nps/small.nps" -t
check -n 0 -i "$DATA/dumps/jstack-jdk25.txt" -t --min-percent 0
