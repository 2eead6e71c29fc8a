# SPDX-License-Identifier: Apache-2.0
# With frame pointers, the kernel's own walk of the same samples, where it gets
# to the root, has the same frames; it may leave one out, whose callee has no
# frame of its own: BP is the same in both.  Several such in one stack, of C
# that was compiled without frame pointers, a signal, or where a continuation
# begins, are counted beside.  What cannot be compared at all is counted with the
# reason why (compare_walks.h).  No sample may differ otherwise.  Stacks with
# several are some 3 of 1,000 here, but for virtual threads: there one is left
# out where the continuation begins, and BP may be that of a frame in the heap.
scratch=$2
. tests/jvm/lib/target.sh

# compare COMM CONDITION: of the threads with that name; awk's, of what is
# counted.
compare() {
	timeout 60 "$TOOLS/walk_samples" "$pid" 6000 499 "$1" fp show \
		>"$scratch/walk" || { cat "$scratch/walk"; return 1; }
	sed "s,^,$(basename "$jdk") $1 ," "$scratch/walk"
	awk "\$1 == \"compared\" { compared = \$2; same = \$4; one = \$6
			different = \$10; not = \$12 }
		END { exit !(compared >= 100 && different == 0 && $2) }" \
		"$scratch/walk" || return 1
	sed -n "s,^compared,| $(basename "$jdk") $1: &,p" "$scratch/walk"
}

target_program=Workload
target_memory='-Xmx256m -XX:+UseSerialGC'
for jdk in $(jdks); do
	target "$jdk" -XX:TieredStopAtLevel=4 -XX:+PreserveFramePointer -- 40 \
		lambdas reflection objects routines locks || exit 1
	compare worker- 'same + one >= 0.97 * compared &&
		not <= 0.1 * (compared + not)' || exit 1
	target_end "$pid"
	grep -q '^JAVA_VERSION="\(2[1-9]\|[3-9]\)' "$jdk/release" || continue
	target "$jdk" -XX:TieredStopAtLevel=4 -XX:+PreserveFramePointer -- 40 \
		virtual monitors || exit 1
	compare ForkJoin 'not <= compared' || exit 1
	target_end "$pid"
done
