# SPDX-License-Identifier: Apache-2.0
# In a JVM with frame pointers, the kernel's walk of the same sample has the
# same frames if it reaches the root.  It may skip the caller of a frameless
# leaf, because RBP is the same in both.  No sample may differ otherwise.
#
# Walks that cannot be compared are counted by reason (compare_walks.h): about 1
# in 100 misses several frames, in C code without frame pointers, at a signal,
# or at the start of a continuation.  In virtual threads, BP may belong to a
# frame in the heap.
scratch=$2
. tests/jvm/lib/target.sh

# compare COMM CONDITION: compares the threads with that name and checks an awk
# condition on the counts.  On a busy machine, it samples longer.
compare() {
	for ms in 6000 20000 60000; do
		timeout 120 "$TOOLS/walk_samples" "$pid" $ms 499 "$1" fp show \
			>"$scratch/walk" || { cat "$scratch/walk"; return 1; }
		grep -q '^compared [0-9]\{1,2\} ' "$scratch/walk" || break
	done
	sed "s,^,$(basename "$jdk") $1 ," "$scratch/walk"
	awk "\$1 == \"compared\" { compared = \$2; same = \$4; one = \$6
			different = \$10; not = \$12 }
		END { exit !(compared >= 100 && different == 0 &&
			same + one >= 0.99 * compared && $2) }" \
		"$scratch/walk" || return 1
	sed -n "s,^compared,| $(basename "$jdk") $1: &,p" "$scratch/walk"
}

target_program=Workload
target_memory='-Xmx256m -XX:+UseSerialGC'
for jdk in $(jdks); do
	target "$jdk" -XX:TieredStopAtLevel=4 -XX:+PreserveFramePointer -- 40 \
		lambdas reflection objects routines locks || exit 1
	compare worker- 'not <= 0.1 * (compared + not)' || exit 1
	target_end "$pid"
	grep -q '^JAVA_VERSION="\(2[1-9]\|[3-9]\)' "$jdk/release" || continue
	target "$jdk" -XX:TieredStopAtLevel=4 -XX:+PreserveFramePointer -- 40 \
		virtual monitors || exit 1
	compare ForkJoin 'not <= compared' || exit 1
	target_end "$pid"
done
