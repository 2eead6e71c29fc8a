# SPDX-License-Identifier: Apache-2.0
# sjkc threads and jstack --virtual have all virtual threads, which the JVM
# writes to a file. The file is removed, even if sjkc is killed. JDK 17 has none.
# Newest JDK: only JDK 21 and later have virtual threads.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

# directory: prints the directory that the last command announced, as sjkc
# sees it
directory() {
	sed -n 's|.*its threads to a file in \(/[^ ]*\), which .*|\1|p' \
		"$scratch/err" | sed "s|^|/proc/$pid/root|"
}

# directory_is_gone: fails unless the directory was announced, and is removed
# within a minute
directory_is_gone() {
	announced=$(directory)
	[ -n "$announced" ] || { echo 'no directory:'; cat "$scratch/err"; return 1; }
	for _ in $(seq 600); do
		[ -e "$announced" ] || return 0
		sleep 0.1
	done
	echo "$announced is left:"
	ls -la "$announced"
	return 1
}

# all_wait: waits until the virtual threads have started, which READY does not
# mean
all_wait() {
	for _ in $(seq 300); do
		ask 0 threads --virtual --json "$pid" || return
		grep -q '"name":"virtual-blocked"' "$scratch/out" &&
			python3 - "$scratch/out" <<-'END' && return
			import json, sys
			t = json.load(open(sys.argv[1]))["threads"]
			waiting = [x for x in t if x["virtual"] and
				x["name"].startswith("virtual-parked") and
				x["state"] == "WAITING"]
			sys.exit(len(waiting) != 20)
			END
		sleep 0.1
	done
	echo 'the virtual threads never waited:'
	cut -c1-2000 "$scratch/out"
	return 1
}

virtual_threads_are_whole() {
	python3 - "$scratch/out" <<-'END'
	import json, sys
	r = json.load(open(sys.argv[1]))
	t = {x["name"]: x for x in r["threads"]}
	assert len({x["id"] for x in r["threads"] if x["id"]}) == \
		len([x for x in r["threads"] if x["id"]]), "an id is there twice"
	parked = t["virtual-parked-7"]
	assert parked["id"] and "park" in r["stacks"][parked["stack"]][0], parked
	main = t["main"]
	assert not main["virtual"] and main["cpu_ns"] > 0, main
	assert main["tid"] and main["state"] == "TIMED_WAITING", main
	blocked = t["virtual-blocked"]
	if blocked["state"]:  # JDK 25 writes states and locks
	    assert blocked["state"] == "BLOCKED", blocked
	    assert blocked["blocked"]["owner"] == "main", blocked
	    assert r["dumps"][0]["blocked"] == 1, r["dumps"]
	END
}

killed_sjkc_leaves_nothing() {
	"$sjkc" threads --virtual "$pid" >/dev/null 2>"$scratch/err" &
	job=$! target_jobs=$!
	target_wait "$scratch/err" 'which sjkc removes' || return
	kill -9 "$job"
	wait "$job" 2>/dev/null
	target_jobs=
	directory_is_gone
}

with_virtual() {
	all_wait && directory_is_gone && virtual_threads_are_whole &&
		ask 0 threads --virtual --csv --count 2 --interval 10ms "$pid" &&
		directory_is_gone && printed 'virtual-parked-19,' &&
		ask 0 threads "$pid" && said '--virtual adds them' &&
		ask 0 jstack --virtual "$pid" && directory_is_gone &&
		printed '"virtual-parked-0" virtual' && printed '"main"' &&
		killed_sjkc_leaves_nothing && alive "$pid"
}

# Six virtual threads take turns on one carrier.
shows_mounted() {
	target "$jdk" -Djdk.virtualThreadScheduler.parallelism=1 \
		-Djdk.virtualThreadScheduler.maxPoolSize=1 -- virtual=6 || return
	for _ in $(seq 50); do
		ask 0 threads --virtual -n 0 "$pid" && directory_is_gone || return
		grep -q '"virtual-[0-9]" #[0-9]* mounted on "ForkJoinPool-1-worker-1"' \
			"$scratch/out" && break
	done
	printed ' mounted on "ForkJoinPool-1-worker-1"' && target_end "$pid"
}

without_virtual() {
	ask 8 threads --virtual "$pid" && printed_nothing &&
		said 'requires JDK 21 or later, and this is JDK' &&
		ask 8 jstack --virtual "$pid" && printed_nothing &&
		said 'which has no virtual threads' && alive "$pid"
}

for jdk in $(jdks); do
	target "$jdk" -- waitingvirtual=20 || exit 1
	if grep -q 'NO VIRTUAL THREADS' "$said"; then
		without_virtual
	else
		with_virtual && target_end "$pid" && shows_mounted
	fi || { echo "with $jdk"; exit 1; }
	target_end "$pid"
	# As another user, in another file system.
	[ "$(id -u)" = 0 ] && ! grep -q 'NO VIRTUAL THREADS' "$said" || continue
	target_contained "$jdk" -- waitingvirtual=20 && all_wait &&
		directory_is_gone && virtual_threads_are_whole &&
		target_end "$pid" || { echo "in a container, $jdk"; exit 1; }
done
