# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for pauses.
# The first thread of the process ends, which makes it a zombie in /proc, and the
# JVM lives on: gc goes on, without a loss, until the JVM has ended.  Commands that
# are started later inspect the JVM through another thread.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh

# other_commands: list the JVM, attach to it, load the agent, sample
other_commands() {
	"$sjkc" jps >"$scratch/late" && gc_has "$scratch/late" "^ *$pid " &&
		"$sjkc" jcmd "$pid" VM.version >"$scratch/late" &&
		gc_has "$scratch/late" '^JDK ' &&
		"$sjkc" ttop "$pid" -b --iterations 1 >"$scratch/late" 2>&1 &&
		gc_has "$scratch/late" ' main$' &&
		"$sjkc" probe "$pid" Collecting.argument -d 1s \
			>"$scratch/late" 2>&1 &&
		gc_has "$scratch/late" '^Collecting.argument' &&
		"$sjkc" prof "$pid" -e wall -d 1s -o "$scratch/late.collapsed" \
			>"$scratch/late" 2>&1 &&
		gc_has "$scratch/late.collapsed" 'Collecting\.main' && return
	cat "$scratch/late"
	return 1
}

# loader FILE: prints the program interpreter of an executable
loader() {
	readelf -lW "$1" | sed -n 's/.*interpreter: \(.*\)]$/\1/p'
}

tested=
for jdk in $(all_jdks); do
	# A JVM unpacked from another Debian has that Debian's C library, which the
	# program cannot load.
	[ "$(loader "$jdk/bin/java")" = "$(loader "$TOOLS/leaving_main")" ] ||
		continue
	[ -z "$tested" ] || [ -n "${EVERY_JDK-}" ] || break
	tested=$jdk
	classes=$(target_compile "$jdk") || exit 1
	rm -f "$scratch/said"
	env --default-signal=QUIT,INT "$TOOLS/leaving_main" \
		"$(find "$jdk/" -name libjvm.so | head -n 1)" "$scratch/leave" \
		-Xmx64m -Xms64m -XX:+UseSerialGC -Xlog:async \
		"-Xlog:gc,gc+phases,safepoint:file=$gc_log:un:filecount=0" \
		-Djava.class.path="$classes" \
		Collecting live=4000 rate=200 full=200 \
		>"$scratch/said" 2>&1 &
	pid=$!
	target_pids="$target_pids $pid"
	target_wait "$scratch/said" READY "$pid" || exit 1

	gc_start "$pid" --json --safepoints --source uprobes &&
		target_wait "$gc_out" '"kind":"full"' || exit 1
	first=$gc_job probed=$gc_out
	gc_out=$scratch/perfdata.out gc_err=$scratch/perfdata.err
	gc_start "$pid" --json --safepoints --source counters || exit 1
	: >"$scratch/leave"
	target_wait "/proc/$pid/status" '^State:[[:space:]]*Z' || exit 1
	for out in "$probed" "$gc_out"; do
		lines=$(wc -l <"$out")
		for _ in $(seq 1 600); do
			[ "$(wc -l <"$out")" -le $((lines + 30)) ] || break
			sleep 0.1
		done
		[ "$(wc -l <"$out")" -gt $((lines + 30)) ] ||
			{ echo "no records in $out"; exit 1; }
	done
	observing=$gc_job
	gc_out=$scratch/late.out gc_err=$scratch/late.err
	gc 0 "$pid" 3s --json --safepoints && gc_truth 5 &&
		gc_has "$gc_err" 'uprobes in libjvm and the hsperfdata counters' &&
		other_commands || exit 1
	gc_job=$observing
	gc_out=$scratch/perfdata.out gc_err=$scratch/perfdata.err
	kill -INT "$first"
	wait "$first" || { echo "status $?"; cat "$scratch/gc.err"; exit 1; }
	kill -KILL "$pid"
	gc_end 0 && gc_has "$gc_err" "$pid\\) has exited" &&
		gc_out=$probed && gc_truth 30 || exit 1
	wait "$pid"
	rm -f "$scratch/leave"
done
[ -n "$tested" ] || { echo "no JDK has this machine's loader"; exit 77; }
