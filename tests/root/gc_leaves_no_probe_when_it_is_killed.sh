# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for JVMs.
# Two gc processes observe one JVM.  The one that is killed leaves no changed
# byte in libjvm, and the other goes on; a third works like the first.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh

# patched: prints the number of changed bytes of libjvm's code
patched() {
	python3 tests/root/lib/patched.py "$pid" libjvm.so
}

for jdk in $(jdks); do
	gc_target "$jdk" G1 -- live=4000 rate=200 full=200 || exit 1
	[ "$(patched)" -eq 0 ] || { echo 'changed before'; exit 1; }
	gc_start "$pid" --json --source uprobes &&
		target_wait "$gc_out" '"kind":"full"' || exit 1
	first=$gc_job
	gc_out=$scratch/second.out gc_err=$scratch/second.err
	gc_start "$pid" --json --safepoints --source uprobes &&
		target_wait "$gc_out" '"kind":"full"' || exit 1
	[ "$(patched)" -gt 0 ] || { echo 'no probe is visible'; exit 1; }
	kill -KILL "$first"
	wait "$first"
	count=$(wc -l <"$gc_out")
	for _ in $(seq 1 600); do
		[ "$(wc -l <"$gc_out")" -le $((count + 3)) ] || break
		sleep 0.1
	done
	kill -INT "$gc_job"
	gc_end 0 && gc_truth 3 || exit 1
	for _ in $(seq 1 100); do
		[ "$(patched)" -ne 0 ] || break
		sleep 0.1
	done
	[ "$(patched)" -eq 0 ] || { echo "changed: $(patched) bytes"; exit 1; }
	gc 0 "$pid" 1s --source uprobes && gc_has "$gc_out" ' (young|full) ' || exit 1
	target_end "$pid"
done
