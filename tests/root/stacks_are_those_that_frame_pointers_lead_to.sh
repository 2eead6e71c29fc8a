# SPDX-License-Identifier: Apache-2.0
# With frame pointers, the kernel's own walk of the same samples, where it gets
# to the root, has the same frames; it may leave one out, whose callee has no
# frame of its own: BP is the same in both.  Several such in one stack, of C
# that was compiled without frame pointers, a signal, or where a continuation
# begins, are counted beside.  What cannot be compared at all is counted with the
# reason why (compare_walks.h).  No sample may differ otherwise.  Stacks with
# several are some 3 of 1,000 here.
scratch=$2
. tests/jvm/lib/target.sh

target_program=Workload
target_memory='-Xmx256m -XX:+UseSerialGC'
for jdk in $(jdks); do
	target "$jdk" -XX:TieredStopAtLevel=4 -XX:+PreserveFramePointer -- 40 \
		lambdas reflection objects routines || exit 1
	timeout 60 "$TOOLS/walk_samples" "$pid" 6000 499 worker- fp show \
		>"$scratch/walk" || { cat "$scratch/walk"; exit 1; }
	target_end "$pid"
	sed "s,^,$(basename "$jdk") ," "$scratch/walk"
	awk '$1 == "compared" { seen = $2 >= 100 && $10 == 0 &&
			$4 + $6 >= 0.97 * $2 && $12 <= 0.1 * ($2 + $12) }
		END { exit !seen }' "$scratch/walk" || exit 1
	sed -n "s,^compared,| $(basename "$jdk"): &,p" "$scratch/walk"
done
