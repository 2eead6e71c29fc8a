# SPDX-License-Identifier: Apache-2.0
# prof -e nativemem reports the blocks that a program does not free, by the methods
# that leak them: the weights are the program's own numbers, and a method that frees
# what it allocates has next to none.  If a program allocates all the time, prof
# reports the memory that its allocator maps instead.  prof -e pagefault reports each
# page once.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/root/lib/prof.sh
target_program=NativeLeak
target_arguments=

# weight NAME: prints the bytes of the stack traces with this method
weight() {
	awk -v name="NativeLeak.$1" 'index($0, name) { n += $NF }
		END { printf "%d\n", n }' "$scratch/out.collapsed"
}

# near NAME PERCENT: fails unless the weight of a method is the program's number
near() {
	is=$(weight "$1")
	true=$(sed -n "s/^$1 //p" "$said")
	echo "| $(basename "$jdk"): $1: $is, $true by the program"
	[ $((100 * is)) -ge $(((100 - $2) * true)) ] &&
		[ $((100 * is)) -le $(((100 + $2) * true)) ] && return
	echo "$1: $is is not $true"
	return 1
}

# record EVENT OPTION…: starts a JVM and samples it while it leaks
record() {
	event=$1
	shift
	rm -f "$scratch/go"
	# shellcheck disable=SC2086 # words
	target "$jdk" -XX:MaxDirectMemorySize=512m -- "$scratch/go" \
		$target_arguments || return
	prof_start "$pid" -e "$event" "$@" -o "$scratch/out.collapsed" || return
	target_wait "$prof_err" 'press Ctrl-C' "$prof_job" || { cat "$prof_err"; return 1; }
	: >"$scratch/go"
	target_wait "$said" DONE || return
	kill -INT "$prof_pid"
	prof_end 0
}

live_set() {
	record nativemem --alloc-interval 16k || return
	has "$prof_err" 'nativemem: [0-9]+ allocations and [0-9]+ frees per second' &&
		near leakInflater 10 && near leakBuffer 10 && near leakBlocks 10 &&
		near touch 1 || return
	is=$(weight churn)
	[ "$is" -lt $((1 << 20)) ] || { echo "churn: $is is not freed"; return 1; }
	has "$prof_err" 'sampled allocations omitted: [0-9,]+ of [0-9,]+ ' || return
	# A block that was allocated in a second is not older than an hour.
	prof 1 "$pid" -e nativemem --older 1h -d 1s
	has "$prof_err" 'no native memory was allocated and kept' || return
	target_end "$pid"
}

# The decision depends on the rate, and thus on the load of the machine.
busy() {
	record nativemem --alloc-interval 16k || return
	percent=$(sed -n 's/.*take about \([0-9]*\)\..*% of a core$/\1/p' "$prof_err")
	echo "| $(basename "$jdk"): busy: $percent%"
	if [ "$percent" -gt 5 ]; then
		has "$prof_err" 'more than 5%; sampling brk\(\), mmap\(\)' || return
	fi
	near touch 1 || return
	prof 0 "$pid" -e cpu,nativemem --force -d 1s &&
		! grep -q 'sampling brk' "$prof_err" &&
		alive "$pid" && target_end "$pid"
}

faults() {
	record pagefault && near touch 2 && target_end "$pid"
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
