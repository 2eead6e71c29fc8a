# SPDX-License-Identifier: Apache-2.0
# Each JDK: the probes are in code that each weaves and compiles otherwise.
# sjkc probe --publish: bpftrace and `prof -e probe:` see each call of a method,
# as the program's own account has them, with the stack traces of the callers.
# At the end no semaphore is raised, and neither the file nor its mapping is
# left, even if sjkc is killed while a tracer is attached.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/probe.sh
. tests/root/lib/prof.sh

# mapped [rw]: prints "ADDRESS PATH" of the mapped library, or of its semaphores
mapped() {
	awk -v access="${1-r.}" -v name="/java$pid.so" \
		'index($6, name) && $2 ~ "^" access { print $1, $6 }' \
		"/proc/$pid/maps" | sed 's/-[^ ]*//'
}

# raised: prints the number of bytes of semaphores that are not 0
raised() {
	/usr/bin/python3 -c '
import sys
memory = open("/proc/%s/mem" % sys.argv[1], "rb")
memory.seek(int(sys.argv[2], 16))
print(sum(byte != 0 for byte in memory.read(65536)))
' "$pid" "$(mapped rw | cut -d ' ' -f 1)"
}

# publish METHOD…: publishes, and sets $file
publish() {
	probe_start --publish "$@" || return
	target_wait "$scratch/err" 'published as USDT probes' || return
	file=$(mapped | head -n 1)
	file=${file#* }
	[ -e "/proc/$pid/root$file" ] || { echo "no library: $file"; return 1; }
}

# trace PROGRAM: starts bpftrace and waits until it is attached
trace() {
	env --default-signal=INT bpftrace -p "$pid" \
		-e "BEGIN { printf(\"READY\\n\"); } $1" \
		>"$scratch/traced" 2>"$scratch/trace.err" &
	tracer=$!
	target_jobs="$target_jobs $tracer"
	for _ in $(seq 1 600); do
		! grep -q READY "$scratch/traced" || return 0
		kill -0 $tracer 2>/dev/null || break
		sleep 0.1
	done
	echo 'bpftrace is not attached:'
	cat "$scratch/trace.err"
	return 1
}

# untrace: ends bpftrace, which can miss a signal that arrives while it reads
untrace() {
	for _ in $(seq 1 120); do
		grep -qs '^State:[[:space:]]*[^XZ]' "/proc/$tracer/status" ||
			break
		kill -INT $tracer 2>/dev/null
		sleep 0.5
	done
	kill -KILL $tracer 2>/dev/null
	wait $tracer
	return 0
}

# is KEY VALUE: fails unless bpftrace has printed this value
is() {
	grep -Fxq "@$1: $2" "$scratch/traced" && return
	echo "bpftrace: not $1: $2"
	cat "$scratch/traced"
	return 1
}

# account METHOD FIELD: prints a number of the program's account
account() {
	sed -n "s/^$1 \([0-9]*\) \([0-9]*\)$/\\$2/p" "$said"
}

# nothing_is_left: the file and the mapping are removed
nothing_is_left() {
	for _ in $(seq 1 300); do
		[ -e "${file%/*}" ] || [ -n "$(mapped)" ] || return 0
		sleep 0.1
	done
	echo "left: $file $(mapped)"
	return 1
}

tools_read_the_notes() {
	[ "$(readelf -n "$file" | grep -c "Provider: java$pid")" -eq 8 ] &&
		readelf -n "$file" | grep -q 'Name: submit__return' &&
		! readelf -n "$file" 2>&1 | grep -i 'warning\|corrupt' || return
	! command -v perf >/dev/null || {
		perf --buildid-dir "$scratch/perf" buildid-cache --add "$file" &&
			perf --buildid-dir "$scratch/perf" list sdt 2>/dev/null |
			grep -q "sdt_java$pid:submit__entry"
	}
}

# prof_counts_its_losses: ends as prof_end, and sets $lost.  All calls within a
# moment can fill the buffer of a busy machine.
prof_counts_its_losses() {
	wait "$prof_job"
	status=$?
	lost=$(sed -n 's/.*samples lost: \([0-9,]*\) .*(a buffer.*/\1/p' "$prof_err")
	lost=$(echo "${lost:-0}" | tr -d ,)
	[ $status -eq $((lost ? 7 : 0)) ] && return
	echo "exit status $status"
	cat "$prof_err"
	return 1
}

tracers_count_each_call() {
	# shellcheck disable=SC2016 # bpftrace's names
	trace 'usdt:*:java*:submit__entry { @entered[str(arg1)] = count() }
		usdt:*:java*:recurse__entry { @entered[str(arg1)] = count() }
		usdt:*:java*:fails__return { @ended = count(); @thrown = sum(arg1) }' ||
		return
	prof_start --output-format collapsed -e probe:recurse "$pid"
	target_wait "$prof_err" 'sampling' || return
	# Of the entries of submit and recurse, and the return of fails.
	for _ in $(seq 1 100); do
		[ "$(raised)" -ne 3 ] || break
		sleep 0.1
	done
	[ "$(raised)" -eq 3 ] || { echo "raised: $(raised)"; return 1; }
	: >"$scratch/go"
	target_wait "$said" DONE || return
	kill -INT "$prof_pid"
	untrace
	prof_counts_its_losses || return
	is 'entered[Calls$Orders.submit]' \
		"$(account 'Orders.submit(long)' 1)" &&
		is 'entered[Calls$Orders.recurse]' \
			"$(account 'Orders.recurse(long)' 1)" &&
		is ended "$(account 'Orders.fails(long)' 1)" &&
		is thrown "$(account 'Orders.fails(long)' 2)" || return
	[ "$(raised)" -eq 0 ] || { echo "still raised: $(raised)"; return 1; }
}

stacks_name_the_method() {
	calls=$(account 'Orders.recurse(long)' 1)
	of=$(grep -E "$at_root.*Calls.work;(Calls\\\$Orders.recurse;)*Calls\\\$Orders.recurse [0-9]*$" \
		"$prof_out" | awk '{ n += $NF } END { print n + 0 }')
	[ "$of" -gt 0 ] && [ $((of + lost)) -eq "$calls" ] ||
		{ echo "$of stack traces, $lost lost, $calls calls"
		cut -c1-300 "$prof_out"
		return 1; }
}

missing_probe_is_explained() {
	prof 3 -d 1s -e probe:recuse "$pid" &&
		has "$prof_err" "did you mean 'recurse'" &&
		has "$prof_err" 'sjkc probe --publish' &&
		prof 3 -d 1s --all -e probe:recuse &&
		has "$prof_err" "no JVM has a published probe 'recuse'"
}

# Names have as much of the class as they need.
killed_sjkc_leaves_nothing() {
	publish Orders.submit Handler+.handle Orders.locked || return
	for name in submit submit_2 locked First_handle Second_handle; do
		has "$scratch/err" "^sjkc: ${name}__entry, ${name}__return: " ||
			return
	done
	trace 'usdt:*:java*:submit__entry { @entered = count() }' || return
	kill -KILL $tracer
	wait $tracer 2>/dev/null
	[ "$(raised)" -eq 0 ] || { echo 'raised by a killed tracer'; return 1; }
	trace 'usdt:*:java*:submit__entry { @entered = count() }' || return
	# With its helper processes, as when a container is killed.
	# shellcheck disable=SC2046 # process ids
	kill -KILL "$probing" $(ps -o pid= --ppid "$probing")
	wait "$probing" 2>/dev/null
	nothing_is_left && alive "$pid" || return
	untrace
	alive "$pid"
}

# A JVM that is seen from outside its namespaces, and one without the probe.
container_is_traced() {
	target "$1" -- hold=1 threads=1 calls=20000 slow=0 || return
	other=$pid
	target_contained "$1" -- hold=1 threads=1 calls=20 slow=0 || return
	publish Orders.submit || return
	prof 0 -d 1s --output-format collapsed -e probe:submit "$pid" &&
		has "$prof_out" "$at_root.*Calls.Orders.submit" || return
	prof 0 -d 1s --all --include-jvm main=Calls -e cpu,probe:submit -I "Calls .$other" &&
		has "$prof_out" "^cpu of " || return
	target_end "$other"
	kill -INT "$probing"
	wait "$probing"
	[ -z "$(mapped)" ] || { echo "left: $(mapped)"; return 1; }
	target_end "$pid"
}

check() {
	rm -f "$scratch/go"
	target "$1" -- go="$scratch/go" calls=100 slow=0 || return
	publish 'Orders.submit(long)' Orders.fails Orders.recurse \
		Handler+.handle '!Second.*' || return
	tools_read_the_notes && missing_probe_is_explained &&
		tracers_count_each_call && stacks_name_the_method || return
	kill -INT "$probing"
	wait "$probing" || { cat "$scratch/err"; return 1; }
	nothing_is_left && killed_sjkc_leaves_nothing && alive "$pid" || return
	target_end "$pid"
	[ "$1" != "$(jdks | head -n 1)" ] || container_is_traced "$1"
}

root_only
command -v bpftrace >/dev/null || { echo 'bpftrace is not installed'; exit 77; }
for_each_jdk check
