# SPDX-License-Identifier: Apache-2.0
# prof -e nativemem of two JVMs at once reports the memory that a JNI library maps
# and does not unmap, and the blocks that the library samples itself, which it
# reports by the USDT probes of OpenTelemetry's contract: the weights are the
# program's numbers, also when they are read again from a JFR recording and, made of
# that, a pprof profile.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/root/lib/prof.sh
target_program=NativeLeak

# exact FILE: fails unless both JVMs have the weights that they have printed
exact() {
	"$sjkc" flame "$1" --total -o "$scratch/again.collapsed" || return
	for jvm in $first $pid; do
		for method in mapHalf allocateSampled; do
			is=$(awk -v root="NativeLeak ($jvm)" -v name="NativeLeak.$method" '
				index($0, root) && index($0, name) { n += $NF }
				END { printf "%d\n", n }' "$scratch/again.collapsed")
			[ "$is" -eq "$(sed -n "s/^$method //p" "$said")" ] &&
				continue
			echo "$1: $method of $jvm: $is"
			return 1
		done
	done
}

root_only
jdk=$(jdks | head -n 1)
library=$(realpath "$TOOLS/../../tools/native_memory.so") || exit 1
target "$jdk" -- "$scratch/go" "$library" || exit 1
first=$pid first_said=$said
target "$jdk" -- "$scratch/go" "$library" || exit 1
prof_start -p "$first" -p "$pid" -e nativemem -o "$scratch/out.jfr" || exit 1
target_wait "$prof_err" 'press Ctrl-C' "$prof_job" || { cat "$prof_err"; exit 1; }
: >"$scratch/go"
target_wait "$first_said" DONE && target_wait "$said" DONE || exit 1
kill -INT "$prof_pid"
prof_end 0 && exact "$scratch/out.jfr" &&
	"$sjkc" flame "$scratch/out.jfr" --total -o "$scratch/out.pb.gz" &&
	exact "$scratch/out.pb.gz" || exit 1
# 700 of 1,000 blocks are freed in each JVM.
has "$prof_err" 'sampled allocations omitted: 1,400 of 2,000 '
