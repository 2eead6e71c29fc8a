# SPDX-License-Identifier: Apache-2.0
# A thousand threads per second live for a moment.  Many start and end between
# two samples, so they are in no sample, but the process's CPU time includes
# their time.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

check() {
	target "$1" -- churn=1000 threads=100 || return
	ask 0 ttop "$pid" --json -ri 300ms --iterations 10 -n 0 || return
	node tests/jvm/lib/reports.js "$scratch/out" >"$scratch/checked" 2>&1 ||
		{ cat "$scratch/checked"; return 1; }
	for counted in new_threads ended_threads; do
		sum=$(sed "s/.*\"$counted\":\\([0-9]*\\),.*/\\1/" "$scratch/out" |
			awk '{ sum += $1 } END { print sum }')
		[ "$sum" -gt 0 ] || { echo "$counted: $sum"; return 1; }
	done
	target_end "$pid"
}

command -v node >/dev/null || { echo 'no node'; exit 77; }
for_each_jdk check
