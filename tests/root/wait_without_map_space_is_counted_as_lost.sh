# SPDX-License-Identifier: Apache-2.0
# If more threads are off-CPU than the map has entries, their waits are counted
# as lost.  No wait is invented: the waits of a thread never exceed the time for
# which it was sampled.
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/sampling.sh

workload threads=8 'sleep=20*20' || exit 1
began=$(date +%s%N)
sampling kinds=offcpu threads=2 open "add=$pid" start || exit 1
sleep 0.5
do_work && sampled || exit 1
took=$(($(date +%s%N) - began))
holds 'samples lost' "$(count_of lost)" -gt 20 || exit 1
for tid in $(tids); do
	holds "ns of $tid" "$(taken "tid == $tid" weight)" -le $took &&
		holds "waits of $tid since the beginning" \
			"$(taken "tid == $tid && has(flags, 32)")" -le 1 ||
		exit 1
done
end_work
