# SPDX-License-Identifier: Apache-2.0
# A sleeping thread has a sample per sleep, with at least the sleep's time and
# both stacks.  A thread that slept before has a sample since the beginning of
# sampling, a thread that has not returned a sample up to the end. Threads that
# share a CPU are off-CPU although they are runnable.
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/sampling.sh

workload 'sleep=30*10' || exit 1
tid=$(tids)
sampling kinds=offcpu open "add=$pid" start || exit 1
sleep 0.2
do_work && sampled || exit 1
slept="tid == $tid && weight >= 30000000 && !has(flags, 8) && !has(flags, 32)"
holds 'times that it slept' "$(taken "$slept")" -ge 10 &&
	holds 'with both stacks' "$(taken \
		"$slept && has(flags, 1) && kernel > 2 && stack > 200")" \
		-eq "$(taken "$slept")" &&
	holds 'ns' "$(taken "$slept" weight)" -ge 300000000 &&
	holds 'since the beginning' "$(taken "tid == $tid && has(flags, 32) &&
		weight >= 200000000 && kernel > 2 && stack == 0")" -eq 1 &&
	holds 'that wait still' \
		"$(taken "has(flags, 32768) && tid == $pid")" -eq 1 || exit 1
end_work

within='taskset --cpu-list 0' workload threads=2 burn=300 || exit 1
sampling kinds=cpu,offcpu hz=99 open "add=$pid" start || exit 1
do_work && sampled || exit 1
for tid in $(tids); do
	holds "preempted of $tid" \
		"$(taken "tid == $tid && has(flags, 8)")" -gt 0 || exit 1
done
# The two threads alternated: each waited most of the time while the other ran.
holds 'ns of waiting for the CPU' \
	"$(taken 'has(flags, 8)' weight)" -ge 150000000
