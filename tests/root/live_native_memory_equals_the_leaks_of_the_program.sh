# SPDX-License-Identifier: Apache-2.0
# prof -e nativemem reports the blocks that a program does not free, by the methods
# that leak them: the weights are the program's own numbers, and a method that frees
# what it allocates has next to none.  prof refuses to slow down a program that
# allocates all the time.  prof -e pagefault reports each page once.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/root/lib/prof.sh
target_program=NativeLeak

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
	target "$jdk" -XX:MaxDirectMemorySize=512m -- "$scratch/go" || return
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

refused() {
	target "$jdk" -XX:MaxDirectMemorySize=512m -- "$scratch/go" busy || return
	! "$sjkc" prof "$pid" -e nativemem -d 1s -o "$scratch/out.collapsed" \
		>"$prof_out" 2>"$prof_err" || { echo 'not refused'; return 1; }
	has "$prof_err" 'use -e pagefault, or --force' &&
		prof 0 "$pid" -e cpu,nativemem --force -d 1s &&
		alive "$pid" && target_end "$pid"
}

faults() {
	record pagefault && near touch 2 && target_end "$pid"
}

check() {
	jdk=$1
	live_set && refused && faults
}

root_only
grep -q '\[always\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null && {
	echo '# SKIP huge pages are not 4 KB'
	exit 0
}
for_each_jdk check
