# SPDX-License-Identifier: Apache-2.0
# The samples of a process that is killed are kept, and the sampler continues.
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/sampling.sh

workload threads=4 burn=20000 || exit 1
first=$pid
begin_work || exit 1
workload burn=300 || exit 1
sampling kinds=cpu,offcpu hz=999 open "add=$first" "add=$pid" start || exit 1
sleep 0.3
kill -KILL "$first"
do_work && sampled || exit 1
holds 'of the one that was killed' \
	"$(taken "kind == \"cpu\" && tgid == $first")" -gt 0 &&
	holds 'of the other' "$(taken "kind == \"cpu\" && tgid == $pid")" \
		-gt 50 &&
	holds 'with stacks' "$(taken 'stack > 200')" -gt 50
