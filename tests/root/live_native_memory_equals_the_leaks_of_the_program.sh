# SPDX-License-Identifier: Apache-2.0
# prof -e nativemem reports the blocks that a program does not free, by the methods
# that leak them: the weights are the program's own numbers, and a method that frees
# what it allocates has next to none.  If a program allocates all the time, prof
# reports the memory that its allocator maps instead.  prof -e pagefault reports each
# page once, also when it is read again from other formats.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/root/lib/prof.sh
. tests/root/lib/native_memory.sh

live_set() {
	live_leaks || return
	# A block that was allocated in a second is not older than an hour.
	prof 1 "$pid" -e nativemem --older 1h -d 1s
	has "$prof_err" 'no native memory was allocated and kept' || return
	target_end "$pid"
}

# The decision depends on the rate.  On a loaded machine, the program may be slow.
busy() {
	record nativemem --alloc-interval 16k
	status=$?
	percent=$(sed -n 's/.*take about \([0-9]*\)\..*% of a core$/\1/p' "$prof_err")
	echo "| $(basename "$jdk"): busy: $percent%"
	if [ "$percent" -gt 5 ]; then
		[ $status -eq 0 ] && near touch 1 &&
			has "$prof_err" 'more than 5%; sampling brk\(\), mmap\(\)' ||
			return
	fi
	prof 0 "$pid" -e cpu,nativemem --force -d 1s &&
		! grep -q 'sampling brk' "$prof_err" &&
		alive "$pid" && target_end "$pid"
}

faults() {
	record pagefault && near touch 2 &&
		"$sjkc" flame "$scratch/out.jfr" --total -o "$scratch/out.pb.gz" &&
		"$sjkc" flame "$scratch/out.pb.gz" --total -o "$scratch/out.collapsed" &&
		near touch 2 && target_end "$pid"
}

check() {
	jdk=$1
	live_set && target_arguments=busy && busy && target_arguments= && faults
}

root_only
grep -q '\[always\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null && {
	echo '# SKIP huge pages are not 4 KB'
	exit 0
}
for_each_jdk check
