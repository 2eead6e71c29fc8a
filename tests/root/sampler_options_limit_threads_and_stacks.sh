# SPDX-License-Identifier: Apache-2.0
# Options limit samples to a thread, to the added processes, and to a number of
# stack bytes.
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/sampling.sh

workload threads=2 depth=100 burn=200 || exit 1
tid=$(tids | tail -n 1)
sampling hz=999 "tid=$tid" stack=4096 open "add=$pid" start || exit 1
do_work && sampled || exit 1
all=$(taken 1)
holds 'samples of the thread' "$(taken "tid == $tid")" -gt 50 &&
	holds 'samples' "$all" -eq "$(taken "tid == $tid")" &&
	holds "cut at 4096 bytes" \
		"$(taken 'has(flags, 2) && stack == 4096')" -eq \
		"$(taken '!has(flags, 1) || stack')" &&
	# A page is missing where the stack grows, and the kernel is allocating
	# it.
	holds 'pages that are not there yet' \
		"$(taken 'has(flags, 1) && !stack')" -lt 5 || exit 1

workload burn=15000 || exit 1
first=$pid first_work=$work
workload burn=15000 || exit 1
second=$pid
begin_work && work=$first_work && begin_work || exit 1
sampling hz=499 open "add=$first" start say=FIRST read=400 say=BOTH "add=$second" \
	read=400 say=SECOND "remove=$first" \
	read=50 say=REMOVED read=400 || exit 1
sampled || exit 1

# during FROM TO PID: counts samples of PID between two lines
during() {
	sed -n "/^$1/,/^$2/p" "$scratch/took" | grep -c "^sample cpu $3 "
}
holds 'of the first at first' "$(during FIRST BOTH "$first")" -gt 0 &&
	holds 'of the second at first' \
		"$(during FIRST BOTH "$second")" -eq 0 &&
	holds 'of the first when both are sampled' \
		"$(during BOTH SECOND "$first")" -gt 0 &&
	holds 'of the second when both are sampled' \
		"$(during BOTH SECOND "$second")" -gt 0 &&
	holds 'of the first when it is removed' \
		"$(during REMOVED BEGUN "$first")" -eq 0 &&
	holds 'of the second to the end' \
		"$(during REMOVED BEGUN "$second")" -gt 0
