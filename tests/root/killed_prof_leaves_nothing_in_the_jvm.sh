# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# Two prof processes sample one JVM and are killed.  Neither leaves a file in
# its /tmp or a uprobe in the agent, and a third prof works like the first.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

# left: prints the files of sjkc in the JVM's /tmp, after a while
left() {
	for _ in $(seq 1 100); do
		found=$(find "/proc/$pid/root/tmp" -name '*sjkc*')
		[ -n "$found" ] || return 0
		sleep 0.1
	done
	echo "left: $found"
	return 1
}

for jdk in $(jdks); do
	target_contained "$jdk" -- burners=1 allocators=1 || exit 1
	prof_start -e cpu,alloc -d 60s -v -o "$scratch/none.html" "$pid" &&
		target_wait "$prof_err" 'sampling Target' || exit 1
	killed=$prof_pid
	job=$prof_job
	prof_err=$scratch/second.err
	prof 0 -e cpu -d 1s -o "$scratch/second.collapsed" "$pid" &&
		has "$scratch/second.collapsed" ';Target\.burn' || exit 1
	kill -KILL "$killed"
	wait "$job"
	[ ! -e "$scratch/none.html" ] && left || exit 1
	prof 0 -e alloc --no-class -d 1s -o "$scratch/third.collapsed" "$pid" &&
		has "$scratch/third.collapsed" ';Target\.allocate [0-9]+$' &&
		left || exit 1
	[ -d "/proc/$pid" ] || { echo 'the JVM has exited'; exit 1; }
	target_end "$pid"
done
