# SPDX-License-Identifier: Apache-2.0
# Threads that use a known CPU time have about as many samples as the clock
# ticks in that time, in user mode and in the kernel.  Idle threads have none.
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/sampling.sh

workload threads=2 depth=100 burn=400 calls=400 || exit 1
sampling hz=499 open "add=$pid" start || exit 1
do_work && sampled || exit 1

# about TID: accepts four to six fifths of the expected number.  A virtual machine
# loses ticks while its host runs others.
about() {
	wanted=$(($(cpu_of "$1") * 499 / 1000000000))
	got=$(taken "kind == \"cpu\" && tid == $1")
	holds "samples of $1" "$got" -ge $((wanted * 4 / 5)) &&
		holds "samples of $1" "$got" -le $((wanted * 6 / 5))
}

for tid in $(tids); do
	about "$tid" || exit 1
done
all=$(taken 1)
holds 'samples' "$all" -gt 100 &&
	holds 'of another process' "$(taken "tgid != $pid")" -eq 0 &&
	holds 'weights' "$(taken 1 weight)" -eq "$all" &&
	holds 'counted as taken' "$(count_of taken)" -eq "$all" &&
	holds 'lost' "$(count_of lost)" -eq 0 &&
	holds 'in the kernel' "$(taken 'has(flags, 1) && kernel > 0')" -gt 10 &&
	holds 'in user mode' "$(taken '!has(flags, 1) && kernel == 0')" -gt 10 &&
	holds 'with 100 frames' "$(taken 'stack > 9000')" -ge $((all - 8)) &&
	holds 'cut' "$(taken 'has(flags, 2)')" -eq 0
