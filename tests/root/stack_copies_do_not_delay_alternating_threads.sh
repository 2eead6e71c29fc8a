# SPDX-License-Identifier: Apache-2.0
# Two threads wake each other and leave their CPU much more often than their
# stacks can be copied at a low cost.  Some waits have a complete stack, the
# others a small part; each wait has its time.
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/sampling.sh

within='taskset --cpu-list 0' workload threads=2 depth=20 turns=150000 || exit 1
sampling kinds=offcpu kernel=0 ring=67108864 open "add=$pid" start || exit 1
do_work && sampled || exit 1
holds 'with a stack' "$(taken '!has(flags, 64) && stack > 1500')" -gt 500 &&
	holds 'left out' "$(taken 'has(flags, 64)')" -gt 10000 &&
	holds 'left out, with a whole stack' \
		"$(taken 'has(flags, 64) && stack > 1536')" -eq 0 &&
	holds 'left out, without a weight' \
		"$(taken 'has(flags, 64) && weight == 0')" -eq 0
