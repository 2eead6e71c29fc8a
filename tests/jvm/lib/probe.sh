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
	for _ in $(seq 1 1200); do
		! grep -q '^sjkc: armed' "$scratch/err" || return 0
		kill -0 "$probing" 2>/dev/null || break
		sleep 0.1
	done
	echo "probe $* is not armed:"
	cat "$scratch/err"
	return 1
}

# program_calls: lets the program make its calls, and writes its account of them
# to $scratch/account.
program_calls() {
	before=$(wc -l <"$said")
	: >"$scratch/go"
	for _ in $(seq 1 6000); do
		tail -n "+$((before + 1))" "$said" >"$scratch/account"
		! grep -q '^DONE' "$scratch/account" || return 0
		sleep 0.05
	done
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
