# SPDX-License-Identifier: Apache-2.0
# A uprobe in a file that was unlinked, opened by /proc/PID/map_files, takes a
# sample of each call in this process only.  The function's first argument is
# the weight.
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/sampling.sh

cp "$TOOLS/workload" "$scratch/workload" || exit 1
offset=$(python3 tests/root/lib/function_offset.py "$scratch/workload" probed) ||
	exit 1
own=$TOOLS
mkdir "$scratch/tools"
mv "$scratch/workload" "$scratch/tools/"
ln -s "$(realpath "$TOOLS")/take_samples" "$scratch/tools/take_samples"
TOOLS=$scratch/tools
workload threads=4 depth=20 probed=500 || exit 1
first=$pid first_work=$work
workload probed=500 || exit 1
second=$pid
rm "$scratch/tools/workload"
TOOLS=$own
range=$(sed -n 's/^\([0-9a-f-]*\) r-xp .*workload (deleted)$/\1/p' \
	"/proc/$first/maps" | head -n 1)

# the_byte PID: prints the first byte of the function's first instruction
the_byte() {
	python3 tests/root/lib/function_offset.py --byte "$1" "$offset"
}

before=$(the_byte "$first")
sampling kinds=alloc,lock open "add=$first" "add=$second" \
	"probe=alloc:$first:$offset:/proc/$first/map_files/$range" start || exit 1
holds 'the probed instruction' "$(the_byte "$first")" = cc &&
	holds 'that of another process' "$(the_byte "$second")" = "$before" &&
	do_work && work=$first_work && do_work && sampled || exit 1
holds 'calls' "$(taken "kind == \"alloc\" && tgid == $first")" -eq 2000 &&
	holds 'samples' "$(taken 1)" -eq 2000 &&
	holds 'weight' "$(taken 1 weight)" -eq 501000 &&
	holds 'with stacks' "$(taken 'stack > 1500')" -eq 2000 &&
	holds 'lost' "$(count_of lost)" -eq 0 &&
	holds 'the instruction afterwards' "$(the_byte "$first")" = "$before"
