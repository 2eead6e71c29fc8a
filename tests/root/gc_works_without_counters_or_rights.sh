# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# Without counters, probes give estimates; without rights, counters give exact
# times.  A JVM in a container with another user is observed from outside.  A
# counter file that was replaced is still read; one that was truncated is not.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh

# near: half of the estimates are within 1 ms of the log's total, because a busy
# machine delays the probes
near() {
	python3 - "$gc_log" "$gc_out" <<-'END'
		import json, re, sys
		truth = [(int(m[1]), int(m[2])) for m in re.finditer(
		    r"\[(\d+)ns\].*Safepoint .*Total: +(\d+) ns",
		    open(sys.argv[1]).read())]
		errors = []
		for line in open(sys.argv[2]):
		    r = json.loads(line)
		    if r["kind"] in ("young", "full"):
		        errors.append(min((r["stopped_ns"] - t[1] for t in truth
		                           if abs(t[0] - r["uptime_ns"]) < 20e6),
		                          key=abs))
		print("errors:", sorted(errors))
		errors = sorted(abs(e) for e in errors)
		sys.exit(len(errors) < 5 or errors[len(errors) // 2] > 1000000)
	END
}

# enough_pauses: observes until there are five; a busy JVM has few in a second
enough_pauses() {
	for seconds in 1.5 5 20; do
		gc 0 "$pid" "${seconds}s" --json || return
		[ "$(grep -cE '"kind":"(young|full)"' "$gc_out")" -lt 5 ] ||
			return 0
	done
}

# without_counters OPTION REASON: falls back to the probes alone
without_counters() {
	gc_target "$jdk" Serial "$1" -- live=4000 rate=200 full=1000 &&
		enough_pauses && gc_has "$gc_err" "no hsperfdata counters: .*-XX:.${1#-XX:?}" &&
		gc_has "$gc_out" '"kind":"young","operation":"' && near &&
		gc 8 "$pid" 1s --source counters && gc_has "$gc_err" "${1#-XX:?}" ||
		return
	target_end "$pid"
}

# in_memory: the probes read counters that have no file
in_memory() {
	gc_target "$jdk" Serial -XX:+PerfDisableSharedMem -- live=4000 \
		rate=200 full=1000 && enough_pauses &&
		gc_has "$gc_err" 'uprobes in libjvm and the hsperfdata counters' &&
		! grep 'no hsperfdata counters' "$gc_err" &&
		gc_has "$gc_out" '"collector":"Serial"' || return
	target_end "$pid"
}

# without_rights: as the JVM's user; another user's JVM is out of reach
without_rights() {
	user='setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all'
	# The sanitized binary is in a directory that the user cannot enter.
	install -m 755 "$sjkc" "$target_classes/sjkc.$$" || return
	within=$user
	target_memory='-XX:+UseSerialGC -Xms64m -Xmx64m'
	target "$jdk" -- live=4000 rate=200 full=200 || return
	within=
	# shellcheck disable=SC2086 # words
	timeout 60 $user "$target_classes/sjkc.$$" gc "$pid" 4s \
		>"$gc_out" 2>"$gc_err"
	status=$?
	rm -f "$target_classes/sjkc.$$"
	[ $status -eq 0 ] || { echo "status $status"; cat "$gc_err"; return 1; }
	gc_has "$gc_err" 'no uprobes: .*; trying counters' &&
		gc_has "$gc_err" 'hsperfdata counters, read every 2 to 20 ms' &&
		gc_has "$gc_out" '^[0-9:.]+  (young|full|[0-9]+ pauses) ' ||
		return
	target_end "$pid"
}

contained() {
	target_memory='-XX:+UseSerialGC -Xms64m -Xmx64m'
	target_contained "$jdk" -- live=4000 rate=200 full=200 &&
		gc 0 "$pid" 3s --source uprobes &&
		gc_has "$gc_err" 'uprobes in libjvm and the hsperfdata counters' &&
		gc_has "$gc_out" ' (young|full) ' &&
		gc 0 "$pid" 3s --source counters &&
		gc_has "$gc_out" ' (young|full|[0-9]+ pauses) ' || return
	target_end "$pid"
}

# The JVM writes to its counters and does not survive a truncated file.
replaced_and_truncated() {
	gc_target "$jdk" Serial -- live=4000 rate=200 full=200 &&
		gc_start "$pid" --source counters || return
	file=$(echo /tmp/hsperfdata_*/"$pid")
	mv "$file" "$scratch/moved" && echo other >"$file"
	lines=$(wc -l <"$gc_out")
	for _ in $(seq 1 600); do
		[ "$(wc -l <"$gc_out")" -le $((lines + 3)) ] || break
		sleep 0.1
	done
	: >"$scratch/moved"
	wait "$gc_job"
	status=$?
	rm -f "$file"
	gc_has "$gc_err" 'has been truncated|has exited' || return
	[ $status -eq 7 ] || [ $status -eq 0 ] || { echo "status $status"; return 1; }
	target_end "$pid"
}

for jdk in $(jdks); do
	without_counters -XX:-UsePerfData &&
		in_memory &&
		without_rights && contained && replaced_and_truncated || exit 1
done
