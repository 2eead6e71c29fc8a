# SPDX-License-Identifier: Apache-2.0
# A thread does not reach a safepoint: gc and ttop report how long the JVM has
# waited, and name the running thread.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh
target_program=Unstoppable
# The stop begins within seconds.  More time would only hide that it was not seen.
AWAIT_LIMIT=15
export AWAIT_LIMIT
waits='has waited for a safepoint for at least .*; running: .*spinner'

# One JDK is enough: the loop is the same.
for jdk in $(jdks | head -n 1); do
	target "$jdk" -XX:TieredStopAtLevel=4 -XX:-UseCountedLoopSafepoints \
		-XX:LoopStripMiningIter=0 || exit 1
	gc_start "$pid" --source uprobes &&
		target_wait "$gc_err" "the JVM $waits" && kill -INT "$gc_job" &&
		gc_end 0 && gc_has "$gc_out" "not included: the JVM $waits" ||
		exit 1
	timeout 60 "$sjkc" ttop "$pid" -n 1 --iterations 1 -ri 2s \
		>"$scratch/top" 2>&1
	grep -q "the JVM $waits" "$scratch/top" ||
		{ cat "$scratch/top"; exit 1; }
	target_end "$pid"
done
[ -n "${jdk-}" ] || { echo 'no JDK'; exit 77; }
