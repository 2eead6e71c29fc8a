# SPDX-License-Identifier: Apache-2.0
# Only in check-all: it takes 11 s of CPU time.
# Newest JDK: JDK 17 has no virtual threads.
# Platform and virtual threads wait thousands of times per second.  At least
# 99.5 % of the off-CPU time has stack traces to the thread's root; the other
# stack traces have a frame with the reason.  Waits without a copied stack are
# counted, also in output formats without notes.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

# to_the_root FILE: prints the part of the weight, per thousand, that reaches
# the root; ignores waits that ended before their stacks were read, whose number
# depends on the load of the machine
to_the_root() {
	awk -v lost="\\\\];\\\\[(truncated|unknown)" '
		/;\[truncated: began before sampling\]/ { next }
		{ all += $NF }
		$0 ~ lost { cut += $NF }
		END { printf "%d\n", all ? 1000 * (all - cut) / all : 0 }' "$1"
}

check() {
	out=$scratch/waits.collapsed
	prof 0 --no-agent -e "$1" -d 1s -t -o "$out" "$pid" || return
	share=$(to_the_root "$out")
	[ "$share" -ge 995 ] || {
		echo "$jdk: $1: $share of 1000 to the root"
		grep -E '\];\[(truncated|unknown)' "$out" | head -n 5
		return 1
	}
	! grep -q '\[truncated\]' "$out" || { grep '\[truncated\]' "$out"
		return 1; }
	has "$out" 'Turns\.hold(;|.*futex)' && has "$out" 'Turns\.take'
}

# told NUMBER: fails unless the last run told NUMBER times about virtual threads
told() {
	count=$(grep -c 'the application uses virtual threads; waiting' \
		"$prof_err")
	[ "$count" -eq "$1" ] ||
		{ echo "$jdk: told $count times"; cat "$prof_err"; return 1; }
}

# A virtual thread that waits for a monitor is unmounted (JDK 24): the sample
# has the stack of the beginning and the time of the end.
where_it_waits() {
	out=$scratch/locks.collapsed
	prof 0 -e lock -d 1s -o "$out" "$pid" || return
	at_least 99 "$(weight_of "$out" ';Turns\.take;Turns\.hold;java\.lang\.Object [0-9]*$')" \
		"$jdk: $1: of waits for the monitor" || {
		sed 's/.*;\(.*;.*;.*\)/\1/' "$out"
		return 1
	}
}

target_program=Turns
for jdk in $(jdks); do
	virtual=0
	"$jdk/bin/java" -version 2>&1 | grep -q '"17' || virtual=8
	target "$jdk" -- 8 0 && check offcpu && told 0 && check wall &&
		told 0 &&
		where_it_waits platform || exit 1
	target_end "$pid"
	[ $virtual -gt 0 ] || continue
	target "$jdk" -- 0 $virtual && check offcpu && told 1 &&
		prof 0 --no-agent -e wall -d 200ms -o "$scratch/wall.collapsed" \
			"$pid" && told 1 &&
		where_it_waits virtual || exit 1
	target_end "$pid"
done

# Waits without a complete stack are at one of two places with the same
# instruction and stack pointer; only their return addresses differ.
target "$jdk" -- 0 0 12 || exit 1
prof 0 --no-agent -e offcpu -d 4s --thread-name '^park-' \
	-o "$scratch/park.collapsed" "$pid" || exit 1
true=$(sed -n 's/^PARKED //p' "$said" | tail -n 1)
short=$(weight_of "$scratch/park.collapsed" 'Turns\.parkShortly;')
{ [ $((short - true)) -le 4 ] && [ $((true - short)) -le 4 ]; } || {
	echo "parked shortly: $short %, $true % by the program"
	exit 1
}

# A wait is part of each time range that it overlaps: the sleeps of main, 500 ms, are
# in parts.  The first one may lack its stack; the others do if samples were lost.
prof 0 --no-agent -e offcpu -d 2s --thread-name '^(main|java)$' \
	-o "$scratch/main.json" "$pid" &&
	python3 - "$scratch/main.json" "$status" <<'END' || exit 1
import json, sys

scope = json.load(open(sys.argv[1]))
frames = [f["name"] for f in scope["shared"]["frames"]]
waits = [w for p in scope["profiles"]
         for s, w in zip(p["samples"], p["weights"])
         if any("Turns.main" in frames[f] for f in s)]
assert sum(waits) > (450 if int(sys.argv[2]) else 1400) * 1_000_000, waits
assert max(waits) < 250_000_000, waits
END
target_end "$pid"

# The threads wait more often than stacks are copied: each wait has its time and
# a stack trace.  The first thread is ignored: it does not wait often, and on a
# loaded machine it waits for a CPU in execve(2), where its stack is gone.
printf '\n\n' | prof 0 -e offcpu -t -o "$scratch/often.collapsed" -- taskset \
	--cpu-list 0 "$TOOLS/workload" threads=2 depth=20 turns=100000 &&
	has "$prof_err" 'waits with an estimated stack trace: [0-9,]+ ' || exit 1
first=$(sed -n 's/^\(\[workload tid=[0-9]*\]\);.*;main;.*/\1/p' \
	"$scratch/often.collapsed" | head -n 1)
grep -vF "${first:-no first thread}" "$scratch/often.collapsed" >"$scratch/workers"
share=$(to_the_root "$scratch/workers")
[ "$share" -ge 990 ] || {
	echo "$share of 1000 to the root"
	cut -c1-120 "$scratch/workers" | head -n 5
	exit 1
}
