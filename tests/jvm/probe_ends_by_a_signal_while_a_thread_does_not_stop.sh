# SPDX-License-Identifier: Apache-2.0
# A thread does not reach a safepoint, so the JVM cannot remove the
# instrumentation: a signal ends probe, which reports what it leaves.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
target_program=Unstoppable

for jdk in $(jdks | head -n 1); do
	rm -f "$scratch/go"
	target "$jdk" -XX:TieredStopAtLevel=4 -XX:-UseCountedLoopSafepoints \
		-XX:LoopStripMiningIter=0 -- "$scratch/go" || exit 1
	env --default-signal=INT timeout 100 "$sjkc" probe "$pid" \
		Unstoppable.main --count >"$scratch/out" 2>&1 &
	job=$!
	target_wait "$scratch/out" 'instrumented 1 method' || exit 1
	: >"$scratch/go"
	# The program prints a line after each collection.
	before=-1
	for _ in $(seq 20); do
		now=$(wc -l <"$said")
		[ "$now" != "$before" ] || break
		before=$now
		sleep 3
	done
	[ "$now" = "$before" ] || { echo 'the thread stops'; exit 1; }
	kill -INT $job
	wait $job
	status=$?
	[ $status -eq 0 ] && grep -q 'the sjkc agent removes it by itself' \
		"$scratch/out" && grep -q '^Unstoppable.main' "$scratch/out" ||
		{ echo "status $status:"; cat "$scratch/out"; exit 1; }
	target_end "$pid"
done
[ -n "${jdk-}" ] || { echo 'no JDK'; exit 77; }
