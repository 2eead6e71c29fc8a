# SPDX-License-Identifier: Apache-2.0
# A thread that sleeps has a sample for each time, of at least that weight, with
# both stacks; one that slept before has one from the beginning on, one that has
# not come back has one up to the end; those that share a CPU are off it though
# they want to run.
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
		"$(taken "has(flags, 16) && tid == $pid")" -eq 1 || exit 1
end_work

within='taskset --cpu-list 0' workload threads=2 burn=300 || exit 1
sampling kinds=cpu,offcpu hz=99 open "add=$pid" start || exit 1
do_work && sampled || exit 1
for tid in $(tids); do
	holds "preempted of $tid" \
		"$(taken "tid == $tid && has(flags, 8)")" -gt 0 || exit 1
done
# The two took turns: each waited while the other ran, for most of its time.
holds 'ns of waiting for the CPU' \
	"$(taken 'has(flags, 8)' weight)" -ge 150000000
