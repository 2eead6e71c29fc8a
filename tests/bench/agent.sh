#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/agent.sh SJKC [ROUNDS]
#
# Measures the cost of loading the agent into a JVM with about 500 and about
# 5,000 compiled methods: the time until the client has the names of all
# methods, at the first load (at most 25 ms) and when the agent sleeps (at most
# 5 ms), and the pause in the JVM's log.  It requests no line numbers, like prof
# without --lines.  Then it measures the CPU time of an idle JVM without an
# agent, with a sleeping agent, and with an active one.
set -u
cd "$(dirname "$0")/../.." || exit 2
sjkc=$(realpath "$1")
rounds=${2:-11}
scratch=$(mktemp -d)
. tests/jvm/lib/target.sh
trap 'target_end_all; rm -rf "$scratch"' EXIT
if [ -z "$(jdks)" ]; then
	echo 'agent: no JDK'
	exit
fi
make -s build/cc/tests/jvm/lib/show_agent || exit
show=build/cc/tests/jvm/lib/show_agent

# methods COUNT: prints a program with COUNT compiled methods, each with two
# inlined methods
methods() {
	awk -v count="$1" 'BEGIN {
		print "public class Many { static int sink;"
		print "static int a(int x) { return x * 31 + (x >> 3); }"
		print "static int b(int x) { return a(x) ^ a(x + 1); }"
		for (i = 0; i < count; i++)
			printf "static int m%d(int x) { int s = %d; " \
				"for (int i = 0; i < 3; i++) s += b(x + i); " \
				"return s; }\n", i, i
		for (i = 0; i < count; i += 250) {
			printf "static void run%d() {\n", i
			for (k = i; k < i + 250 && k < count; k++)
				printf "sink += m%d(sink);\n", k
			print "}"
		}
		print "public static void main(String[] args) throws Exception {"
		print "for (int i = 0; i < 3000; i++) {"
		for (i = 0; i < count; i += 250)
			printf "run%d();\n", i
		print "} Thread.sleep(2000); System.out.println(\"READY\");"
		print "Thread.sleep(100000); } }"
	}' >"$scratch/Many.java"
}

median() {
	sort -n | awk '{ v[NR] = $1 } END { printf "%.1f", v[int((NR + 1) / 2)] }'
}

start() {
	env --default-signal=QUIT,INT "$1/bin/java" -Xmx256m \
		-XX:TieredStopAtLevel=1 -Xbatch \
		"-Xlog:safepoint:file=$scratch/safepoints" -cp "$scratch/$2" \
		Many </dev/null >"$scratch/said" 2>&1 &
	pid=$!
	target_pids="$target_pids $pid"
	target_wait "$scratch/said" READY
}

# Prints the CPU time of the thread that loads the agent, in us.  Unlike the
# elapsed time, it does not depend on other processes.
listener_time() {
	listener=$(grep -l '^Attach Listener' "/proc/$pid/task"/*/comm)
	awk '{ printf "%d", $1 / 1000 }' "${listener%comm}schedstat"
}

# cost JDK COUNT: prints the cost for a program with COUNT methods
cost() {
	methods "$2"
	mkdir -p "$scratch/$2"
	"$1/bin/javac" -nowarn -d "$scratch/$2" "$scratch/Many.java" &&
		start "$1" "$2" || return
	count=$("$sjkc" jcmd "$pid" Compiler.codelist | wc -l)
	: >"$scratch/safepoints"
	before=$(listener_time)
	first=$($show "$pid" no-lines costs)
	first_cpu=$(($(listener_time) - before))
	before=$(listener_time)
	for _ in $(seq "$rounds"); do
		$show "$pid" no-lines costs
	done >"$scratch/costs"
	cpu=$((($(listener_time) - before) / rounds))
	worst=$(sed -n 's/.* Total: *\([0-9]*\) ns.*/\1/p' \
		"$scratch/safepoints" | sort -n | tail -n 1)
	# shellcheck disable=SC2086 # words
	set -- $first
	printf '  %5d methods, %4d KiB: first load %.1f ms, of which replay %.1f, ' \
		"$count" $(($3 / 1024)) "$(echo "$1" | awk '{print $1 / 1000}')" \
		"$(echo "$2" | awk '{print $1 / 1000}')"
	printf '%d us of CPU; ' "$first_cpu"
	printf 'waking %s ms (median of %d), %d us of CPU; longest pause %.2f ms\n' \
		"$(awk '{ print $1 / 1000 }' "$scratch/costs" | median)" \
		"$rounds" "$cpu" \
		"$(echo "${worst:-0}" | awk '{ print $1 / 1e6 }')"
	target_end "$pid"
}

# Prints the CPU time of all threads in two seconds, in us.
idle_time() {
	before=$(cat "/proc/$pid/task"/*/schedstat | awk '{s += $1} END {print s}')
	sleep 2
	cat "/proc/$pid/task"/*/schedstat |
		awk -v before="$before" '{s += $1} END {printf "%d", (s - before) / 1000}'
}

idle() {
	start "$1" 500 || return
	"$sjkc" jcmd "$pid" VM.version >/dev/null
	sleep 1
	without=$(idle_time)
	$show "$pid" no-lines costs >/dev/null
	sleep 1
	with=$(idle_time)
	$show "$pid" no-lines sleep=3500 costs >/dev/null &
	sleep 1
	awake=$(idle_time)
	wait $!
	printf '  idle for 2 s: %d us of CPU without agent, %d with a sleeping one, ' \
		"$without" "$with"
	printf '%d with an active one\n' "$awake"
	target_end "$pid"
}

echo "agent: $(stat -c %s build/cc/agent.so) bytes"
for jdk in $(jdks); do
	echo "  $(basename "$jdk")"
	cost "$jdk" 500
	cost "$jdk" 5000
	idle "$jdk"
done
