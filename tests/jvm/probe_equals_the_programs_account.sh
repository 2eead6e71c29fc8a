# SPDX-License-Identifier: Apache-2.0
# Each JDK: classes are changed by other code of each JVM.
# Begins early: waits for the program.
# sjkc probe: counts, exceptions and times equal the program's own account, with
# its slow calls, arguments and stack traces, whose lines are those of Java.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/probe.sh

# counts_are_equal: counts and errors of all methods
counts_are_equal() {
	probe_start --csv 'Calls$Orders.*' '+Calls$Handler.handle' \
		'!*.nothing' || return
	probe_finish || return
	probe_account thrown >"$scratch/wanted"
	probe_counts "$scratch/out" errors >"$scratch/got"
	[ -s "$scratch/wanted" ] || { echo 'no account'; return 1; }
	diff "$scratch/wanted" "$scratch/got" || { echo 'counts differ'; return 1; }
}

# calls_are_reported: each call that sleeps for 60 ms, and no other.  The callers
# of the slow method are woven, too; Java prints their lines before they are.
calls_are_reported() {
	program_calls || return
	grep '^STACK' "$scratch/account" >"$scratch/stack"
	probe_start --json --above 50ms --args --stack -o "$scratch/slow.html" \
		Orders.slow Orders.fails Calls.slowly Calls.run || return
	probe_finish || return
	/usr/bin/python3 - "$scratch/out" "$scratch/account" \
		"$scratch/stack" <<-'END' || return
		import json, re, sys
		lines = [json.loads(l) for l in open(sys.argv[1])]
		said = open(sys.argv[2]).read()
		stack = open(sys.argv[3]).read().split()[1:]
		whole = int(re.search(r"SLOW (\d+)", said).group(1))
		calls = [l for l in lines if l["type"] == "call"
		         and l["method"] == "slow"]
		# A preempted call of 1 ms may be slow, too.
		calls = [c for c in calls if c["arguments"][0] == 60]
		got = [c["arguments"] for c in calls]
		want = [[60, f"call {i}"] for i in range(0, 10, 2)]
		if got != want:
		    sys.exit(f"slow calls: {got}")
		for c in calls:
		    if c["thread"] != "main" or not c["frames"] or \
		            c["frames"][-1]["method"] != "main":
		        sys.exit(f"call: {c}")
		    # The first line is that of the return.
		    frames = [f"{f['class']}.{f['method']}:{f['line']}"
		              for f in c["frames"]]
		    if frames[1:] != stack[1:] or not c["frames"][0]["line"]:
		        sys.exit(f"stack: {frames}, {stack} by Java")
		    if not 60e6 <= c["duration_ns"] <= whole:
		        sys.exit(f"duration: {c}")
		methods = {m["method"]: m for m in lines[-1]["methods"]}
		slow = methods["slow"]
		total = slow["average_ns"] * slow["calls"]
		if not 5 * 60e6 <= total + 10 <= whole + 10:
		    sys.exit(f"slow: {total} ns, {whole} ns by the program")
		if sum(b["calls"] for b in slow["buckets"]) != slow["calls"]:
		    sys.exit(f"buckets: {slow}")
		for name, tag in (("IllegalStateException", "ILLEGAL"),
		                  ("IllegalArgumentException", "WRONG")):
		    want = int(re.search(tag + r" (\d+)", said).group(1))
		    got = [e["count"] for e in methods["fails"]["exceptions"]
		           if e["class"] == "java.lang." + name]
		    if got != [want]:
		        sys.exit(f"{name}: {got}, {want} by the program")
	END
	grep -q 'Calls$Orders.slow' "$scratch/slow.html" ||
		{ echo 'the page lacks the method'; return 1; }
}

# misses_are_explained: near misses, refusals, and the limit
misses_are_explained() {
	for miss in "Ordrs.submit 'Calls\$Orders'" "Orders.submti 'submit'"; do
		! "$sjkc" probe "$pid" -d 1s "${miss% *}" 2>"$scratch/err" &&
			grep -q "did you mean ${miss#* }" "$scratch/err" ||
			{ cat "$scratch/err"; return 1; }
	done
	"$sjkc" probe "$pid" --list '+Calls$Handler.handle' \
		>"$scratch/out" 2>&1 || return
	grep -q 'Calls$Second.handle(long)' "$scratch/out" &&
		grep -q 'Calls$Handler.handle(long).*refused: it is abstract' \
			"$scratch/out" &&
		grep -q 'expect a pause' "$scratch/out" ||
		{ cat "$scratch/out"; return 1; }
	"$sjkc" probe "$pid" --max 3 -d 1s 'Orders.*' 2>"$scratch/err"
	[ $? -eq 1 ] && grep -q 'raise --max' "$scratch/err" ||
		{ cat "$scratch/err"; return 1; }
	"$sjkc" probe "$pid" -d 1s java.lang.String.hashCode 2>"$scratch/err"
	[ $? -eq 3 ] && grep -q 'use --system' "$scratch/err" ||
		{ cat "$scratch/err"; return 1; }
}

for jdk in $(jdks); do
	target "$jdk" -- go="$scratch/go" calls=5000 || exit 1
	for part in misses_are_explained counts_are_equal calls_are_reported; do
		"$part" || { echo "$jdk: $part"; exit 1; }
	done
	target_end "$pid"
done
