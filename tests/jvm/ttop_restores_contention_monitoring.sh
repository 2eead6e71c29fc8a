# SPDX-License-Identifier: Apache-2.0
# Contention monitoring is enabled while ttop -c runs and restored however ttop
# ends, also if ttop reads /proc and uses the local JMX connector.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
flag='java.lang:type=Threading/ThreadContentionMonitoringEnabled'

# measures true|false: waits up to 60 s until contention monitoring is enabled
# or not
measures() {
	for _ in $(seq 600); do
		"$TOOLS/ask_jmx" "127.0.0.1:$port" "get=$flag" \
			>"$scratch/flag" 2>&1 || break
		grep -q "$1" "$scratch/flag" && return
		sleep 0.1
	done
	echo "contention is not $1:"
	cat "$scratch/flag"
	return 1
}

# begin ARGUMENT…: starts ttop -c and waits for its first report
begin() {
	: >"$scratch/out"
	env --default-signal=INT,TERM,HUP "$sjkc" ttop "$@" -b -c -ri 200ms \
		-si 10ms >"$scratch/out" 2>"$scratch/err" </dev/null &
	ttop=$!
	target_pids="$target_pids $ttop"
	target_wait "$scratch/out" 'wait=' && measures true
}

# ended STATUS: fails unless ttop exits with STATUS
ended() {
	wait "$ttop"
	status=$?
	[ $status -eq "$1" ] && return
	echo "exit status $status, not $1"
	cat "$scratch/err"
	return 1
}

# signalled SIGNAL STATUS: the signal ends ttop with STATUS and disables
# monitoring
signalled() {
	begin -s "127.0.0.1:$port" && kill "-$1" "$ttop" && ended "$2" &&
		measures false && return
	echo "by $1"
	return 1
}

# The cleanup process needs the local JMX connector, too.
killed_by_pid() {
	begin -p "$pid" && kill -KILL "$ttop" && ended 137 && measures false
}

# If ttop ends by itself, monitoring is restored before it exits.
by_itself() {
	ask 0 ttop -s "127.0.0.1:$port" --json -c -ri 300ms --iterations 1 &&
		"$TOOLS/ask_jmx" "127.0.0.1:$port" "get=$flag" \
			>"$scratch/flag" && grep -q false "$scratch/flag" &&
		python3 - "$scratch/out" <<-'END'
			import json, sys
			t = {t["name"]: t for t in
			     json.load(open(sys.argv[1]))["threads"]}
			a = t["allocator-0"]
			assert a["waits_per_s"] > 0 and a["wait_pct"] > 0, a
			assert a["block_pct"] is not None, a
		END
}

# If monitoring was already enabled, it stays enabled.
leaves_what_was_on() {
	"$TOOLS/ask_jmx" "127.0.0.1:$port" "set=$flag=boolean:true" || return
	ask 0 ttop -s "127.0.0.1:$port" -b -c -ri 100ms --iterations 1 &&
		measures true &&
		"$TOOLS/ask_jmx" "127.0.0.1:$port" "set=$flag=boolean:false"
}

# The key C enables and disables monitoring, and the end of ttop disables it.
by_a_key() {
	: >"$scratch/out"
	"$sjkc" ttop -s "127.0.0.1:$port" --screen 200x30 \
		--keys 'C<show><tick><tick><show>C<show>' >"$scratch/out" \
		2>"$scratch/err" || { cat "$scratch/err"; return 1; }
	printed 'contention monitoring enabled' &&
		printed 'contention: measured until ttop ends' &&
		printed 'WAIT%' &&
		printed 'contention monitoring disabled' &&
		measures false &&
		ask 0 ttop -s "127.0.0.1:$port" --screen 200x30 --keys C &&
		measures false
}

by_a_key_and_killed() {
	"$sjkc" ttop -s "127.0.0.1:$port" --screen 80x24 \
		--keys "C$(printf '<tick>%.0s' $(seq 300))" >"$scratch/out" \
		2>"$scratch/err" </dev/null &
	ttop=$!
	target_pids="$target_pids $ttop"
	measures true && kill -KILL "$ttop" && ended 137 && measures false
}

says_when_it_cannot() {
	begin -s "127.0.0.1:$port" --timeout 5s || return
	target_stop "$pid" || return
	kill -INT "$ttop"
	wait "$ttop"
	kill -CONT "$pid"
	said 'cannot disable contention monitoring'
}

# If the JVM does not respond, it may have ended, or only the connection is
# lost.
reports_a_lost_jvm() {
	"$TOOLS/ask_jmx" "127.0.0.1:$port" "set=$flag=boolean:false" || return
	begin -s "127.0.0.1:$port" --reconnect 1s || return
	target_end "$pid"
	ended 0 && said 'connecting again for' &&
		said 'the JVM no longer responds' &&
		said 'it stays enabled if the JVM still runs'
}

# For a JVM without a port, ttop starts the local JMX connector and reports that.
beside_proc() {
	target "$1" -- allocators=1 || return
	ask 0 ttop -p "$pid" --json -c -ri 500ms --iterations 1 &&
		said 'starting the local JMX connector in JVM' || return
	# A slow JVM may reply only once during the first run.
	for _ in $(seq 20); do
		both_are_known
		known=$?
		[ $known -eq 9 ] || return $known
		ask 0 ttop -p "$pid" --json -c -ri 500ms --iterations 1 ||
			return
	done
	echo 'no rates over JMX:'
	cat "$scratch/out"
	return 1
}

# both_are_known: exits with 9 if the JVM has replied less than twice.
both_are_known() {
	python3 - "$scratch/out" <<-'END'
		import json, sys
		t = {t["name"]: t for t in json.load(open(sys.argv[1]))["threads"]}
		a = t["allocator-0"]
		if a["waits_per_s"] is None:
		    sys.exit(9)
		assert a["tid"] and a["cpu_pct"] > 0, a
		assert a["waits_per_s"] > 0 and a["wait_pct"] > 0, a
		assert a["alloc_bytes_per_s"] > 4096, a
	END
}

beside_proc_afterwards() {
	# The local JMX connector runs now, so allocation is exact without --jmx.
	ask 0 ttop -p "$pid" --screen 200x30 &&
		printed 'allocation: exact, over JMX' &&
		[ ! -s "$scratch/err" ] || return
	ask 0 ttop -p "$pid" -b --jmx -ri 100ms --iterations 1 &&
		printed 'heap allocation rate' && target_end "$pid"
}

# A JVM takes longer to load the classes of its agent.
beside_proc_in_no_time() {
	target "$1" || return
	ask 5 ttop -p "$pid" -b --jmx --timeout 1ms -ri 100ms --iterations 1 &&
		target_end "$pid"
}

check() {
	jmx_target "$1" -- allocators=1 && by_itself &&
		signalled INT 0 && signalled TERM 0 && signalled HUP 129 &&
		signalled KILL 137 && killed_by_pid && by_a_key && by_a_key_and_killed &&
		leaves_what_was_on &&
		says_when_it_cannot && reports_a_lost_jvm &&
		beside_proc "$1" && beside_proc_afterwards &&
		beside_proc_in_no_time "$1"
}

for_each_jdk check
