# SPDX-License-Identifier: Apache-2.0
# A sampler in a PID namespace of its own, as in a debug container, reports
# processes by their PIDs in this namespace, also processes of nested
# namespaces.  It does not confuse them with processes that have the same PID
# elsewhere.
scratch=$2
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh
. tests/root/lib/sampling.sh

workload threads=2 burn=200 'sleep=30*3' || exit 1
within='unshare --pid --fork --kill-child'
first=$pid first_work=$work first_tids=$(tids)
workload burn=200 || exit 1
# The nested process has PID 1 in its namespace; here it is a child of unshare.
below=$(tr -d ' ' <"/proc/${target_pids##* }/task/${target_pids##* }/children")
holds 'the one below' "$pid" -eq 1 &&
	holds 'the one below' "$below" -gt 1 || exit 1

sampling kinds=cpu,offcpu hz=999 open "add=$first" "add=$below" start || exit 1
do_work && work=$first_work && do_work && sampled || exit 1
for tid in $first_tids; do
	holds "ticks of $tid" \
		"$(taken "kind == \"cpu\" && tgid == $first && tid == $tid")" \
		-gt 20 &&
		holds "sleeps of $tid" "$(taken \
			"kind == \"offcpu\" && tid == $tid && !has(flags, 8) &&
				weight >= 20000000")" \
			-ge 3 || exit 1
done
holds 'of the one below' "$(taken "tgid == $below && tid > $below")" -gt 20 &&
	holds 'of others' "$(taken "tgid != $first && tgid != $below")" -eq 0
