# SPDX-License-Identifier: Apache-2.0
# ttop prints the busy thread first: as SJK's lines, as JSON, and from a
# recording.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

# tops: prints the first Java thread of each report.
tops() {
	awk '/ Process summary$/ { seen = 0 }
	     /^\[0/ && !seen { seen = 1; sub(/.* - /, ""); print }' \
		"$scratch/out"
}

reports() {
	ask 0 ttop -p "$pid" -b -ri 1s --iterations 2 || return
	[ "$(tops | tr '\n' ' ')" = 'burner-0 burner-0 ' ] ||
		{ echo "tops:"; cat "$scratch/out"; return 1; }
	printed 'safe point' && printed 'GC time=' && printed ' - main'
}

json() {
	ask 0 ttop "$pid" --json -ri 1s --iterations 3 -n 0 \
		--record "$scratch/$1.jsonl" || return
	cp "$scratch/out" "$scratch/live"
	node tests/jvm/lib/reports.js "$scratch/live" >"$scratch/checked" 2>&1 ||
		{ cat "$scratch/checked"; return 1; }
	[ "$(cut -d ' ' -f 3 "$scratch/checked" | uniq)" = burner-0 ] ||
		{ cat "$scratch/checked"; return 1; }
	ask 0 ttop --replay "$scratch/$1.jsonl" --json -n 0 || return
	cmp "$scratch/live" "$scratch/out"
}

# on_a_terminal ARGUMENT…: runs ttop on a terminal
on_a_terminal() {
	python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' \
		"$sjkc" ttop "$pid" -b -n 1 -si 200ms --iterations 1 "$@" \
		>"$scratch/out" 2>&1 </dev/null
}

# On a terminal, ttop prints when the first report will appear; in a script, it
# does not.
announces_the_first_report() {
	on_a_terminal && printed 'first report in 2' &&
		on_a_terminal -q || return
	! grep -q 'first report' "$scratch/out" && printed 'Process summary' &&
		ask 0 ttop "$pid" -b -si 200ms --iterations 1 &&
		[ ! -s "$scratch/err" ]
}

check() {
	target "$1" -- burners=1 threads=5 || return
	announces_the_first_report && reports &&
		json "$(basename "$1")" || return
	target_end "$pid"
}

command -v node >/dev/null || { echo 'no node'; exit 77; }
for_each_jdk check
