# SPDX-License-Identifier: Apache-2.0
# With frame pointers, the kernel's own walk of the same samples, where it gets
# to the root, has the same frames; it may leave one out: the caller of a leaf
# that has no frame yet.  What it cannot walk itself (127 frames at most, C that
# was compiled without frame pointers) is counted.  Of a frame that is being
# deoptimised, at the end of a native wrapper, or behind the stub of an entry
# barrier, the walk may err, in one sample of a thousand or so, and shown then; one
# of a hundred may, with all that is not as it should be.
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
	awk '$1 == "compared" { seen = $2 >= 100 &&
			$4 + $6 >= 0.99 * $2 }
		END { exit !seen }' "$scratch/walk" || exit 1
	sed -n "s,^compared,| $(basename "$jdk"): &,p" "$scratch/walk"
done
