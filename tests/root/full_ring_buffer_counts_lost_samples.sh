# SPDX-License-Identifier: Apache-2.0
# The reader stops reading, and the ring buffer is full: lost samples are
# counted, earlier samples are complete, and sampling continues with the reader.
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/sampling.sh

workload threads=2 burn=30000 || exit 1
begin_work
sampling hz=4999 ring=131072 open "add=$pid" start sleep=700 say=AGAIN || exit 1
sleep 0.3
sampled || exit 1
lost=$(count_of lost) taken=$(count_of taken)
holds 'lost' "$lost" -gt 50 &&
	holds 'read of those taken' "$(taken 1)" -eq "$taken" &&
	holds 'more than the ring buffer holds, since it went on' \
		"$(taken 1 'stack + 136')" -gt 131072
