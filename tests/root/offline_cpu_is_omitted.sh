# SPDX-License-Identifier: Apache-2.0
# An offline CPU, even if it is the first one, has no effect on the samples of
# the other CPUs.
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/sampling.sh

[ "$(nproc)" -gt 1 ] || { echo 'one CPU'; exit 77; }
within='taskset --cpu-list 1' workload burn=500 || exit 1
sampler_within="$TOOLS/without_bpf -0" sampling kinds=cpu hz=99 open \
	"add=$pid" start || exit 1
do_work && sampled || exit 1
holds 'samples' "$(taken 1)" -ge 40
end_work
