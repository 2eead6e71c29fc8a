# SPDX-License-Identifier: Apache-2.0
# prof -e nativemem of two JVMs at once reports the memory that a JNI library maps
# and does not unmap, and the blocks that the library samples itself, which it
# reports by the USDT probes of OpenTelemetry's contract: the weights are the
# program's numbers, also when they are read again from a JFR recording and, made of
# that, a pprof profile.  Stacks of threads count, and the Java heap does not.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/root/lib/prof.sh
target_program=NativeLeak

# weight JVM NAME: prints the bytes of the stack traces of a JVM with this text
weight() {
	awk -v root="NativeLeak ($1)" -v name="$2" '
		index($0, root) && index($0, name) { n += $NF }
		END { printf "%d\n", n }' "$scratch/again.collapsed"
}

# printed NAME: prints the program's number
printed() { sed -n "s/^$1 //p" "$said"; }

# exact FILE: fails unless both JVMs have the weights that they have printed.  glibc
# keeps stacks of ended threads for new ones, and a thread maps guard pages in its own
# stack.  The heap, which grows most, is not in the sum.
exact() {
	"$sjkc" flame "$1" --total -o "$scratch/again.collapsed" || return
	for jvm in $first $pid; do
		for method in mapHalf allocateSampled; do
			is=$(weight "$jvm" "NativeLeak.$method")
			[ "$is" -eq "$(printed $method)" ] && continue
			echo "$1: $method of $jvm: $is"
			return 1
		done
		stacks=$(weight "$jvm" NativeLeak.startThreads)
		all=$(weight "$jvm" '')
		echo "| $jvm: $stacks in stacks, $all"
		[ $((100 * stacks)) -ge $((75 * $(printed startThreads))) ] &&
			[ $((95 * stacks)) -le $((100 * $(printed startThreads))) ] &&
			[ "$all" -lt "$(printed growHeap)" ] && continue
		echo "$1: stacks or heap of $jvm"
		return 1
	done
}

root_only
jdk=$(jdks | head -n 1)
library=$(realpath "$TOOLS/../../tools/native_memory.so") || exit 1
target "$jdk" -Xmx256m -- "$scratch/go" "$library" || exit 1
first=$pid first_said=$said first_starter=$starter
target "$jdk" -Xmx256m -- "$scratch/go" "$library" || exit 1
prof_start -p "$first" -p "$pid" -e nativemem --stack-bytes 16k \
	-o "$scratch/out.jfr" || exit 1
target_wait "$prof_err" 'press Ctrl-C' "$prof_job" || { cat "$prof_err"; exit 1; }
: >"$scratch/go"
target_wait "$first_said" DONE "$first_starter" &&
	target_wait "$said" DONE "$starter" || exit 1
kill -INT "$prof_pid"
prof_end 0 && exact "$scratch/out.jfr" &&
	"$sjkc" flame "$scratch/out.jfr" --total -o "$scratch/out.pb.gz" &&
	exact "$scratch/out.pb.gz" || exit 1
# 140 of 200 blocks are freed in each JVM.
has "$prof_err" 'sampled allocations omitted: 280 of 400 '
