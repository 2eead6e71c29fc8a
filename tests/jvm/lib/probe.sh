# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154 # variables of target.sh
# Sourced, after tests/jvm/lib/target.sh, by tests of sjkc probe with the program
# Calls.
target_program=Calls

# probe_start OPTION…: starts sjkc probe for $pid and waits until it is armed.
# Sets $probing.  Its output is in $scratch/out and $scratch/err.
probe_start() {
	: >"$scratch/err"
	# Without job control, a shell starts it with SIGINT ignored.
	env --default-signal=INT "$sjkc" probe "$pid" "$@" \
		>"$scratch/out" 2>"$scratch/err" &
	probing=$!
	target_jobs="$target_jobs $probing"
	perl "$target_await" line '^sjkc: instrumented' "$scratch/err" "$probing" &&
		return
	echo "probe $* is not armed:"
	cat "$scratch/err"
	return 1
}

# program_calls: lets the program make its calls, and writes its account of them
# to $scratch/account.
program_calls() {
	before=$(wc -l <"$said")
	done_before=$(grep -c '^DONE' "$said")
	: >"$scratch/go"
	if perl "$target_await" $((done_before + 1)) '^DONE' "$said"; then
		tail -n "+$((before + 1))" "$said" >"$scratch/account"
		return
	fi
	echo 'the program made no calls:'
	cat "$said"
	return 1
}

# probe_finish: lets the program make its calls, and ends sjkc by SIGINT.
probe_finish() {
	program_calls || return
	kill -INT "$probing"
	wait "$probing"
	status=$?
	[ "$status" -eq 0 ] && return
	echo "probe exited with $status:"
	cat "$scratch/err"
	return 1
}

# probe_account [THROWN]: prints "METHOD CALLS" of the program's account, or
# "METHOD CALLS THROWN", sorted.
probe_account() {
	sed -n 's/^\([A-Z][a-z]*\.[^ ]*\) \([0-9]*\) \([0-9]*\)$/\1 \2 \3/p' \
		"$scratch/account" | if [ -n "${1-}" ]; then cat; else
		sed 's/ [0-9]*$//'; fi | LC_ALL=C sort
}

# probe_counts FILE [ERRORS]: prints the same of a CSV output.
probe_counts() {
	/usr/bin/python3 -c '
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    name = row["class"].split("$")[-1] + "." + row["method"]
    line = name + row["parameters"].replace(" ", "") + " " + row["calls"]
    print(line + (" " + row["errors"] if len(sys.argv) > 2 else ""))
' "$@" | LC_ALL=C sort
}

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
