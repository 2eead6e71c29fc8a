# SPDX-License-Identifier: Apache-2.0
# Programs, links and perf events are open files, and a uprobe's instruction is
# removed with them.  The process continues and can be sampled again.
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/sampling.sh
PATH=$PATH:/usr/sbin
command -v bpftool >/dev/null || { echo 'no bpftool'; exit 77; }

workload burn=50 probed=1000 || exit 1
offset=$(python3 tests/root/lib/function_offset.py "$TOOLS/workload" probed) ||
	exit 1
the_byte() {
	python3 tests/root/lib/function_offset.py --byte "$pid" "$offset"
}

# ids KIND PID: prints the ids of the kernel objects that a process has open
ids() {
	sed -n "s/^$1_id:[[:space:]]*//p" "/proc/$2/fdinfo"/* | sort -nu
}

before=$(the_byte)
sampling kinds=cpu,offcpu,alloc open "add=$pid" \
	"probe=alloc:$pid:$offset:/proc/$pid/exe" start || exit 1
programs=$(ids prog "$sampler")
links=$(ids link "$sampler")
maps=$(ids map "$sampler")
holds 'programs' -n "$programs" && holds 'links' -n "$links" &&
	holds 'maps' -n "$maps" &&
	holds 'the probed instruction' "$(the_byte)" = cc || exit 1
kill -KILL "$sampler"
wait "$sampler"

# gone KIND ID…: waits until the kernel has removed the objects
gone() {
	kind=$1
	shift
	for id; do
		for _ in $(seq 1 100); do
			bpftool "$kind" show id "$id" >/dev/null 2>&1 || continue 2
			sleep 0.1
		done
		echo "$kind $id is left"
		return 1
	done
}

# shellcheck disable=SC2086 # words
gone prog $programs && gone link $links && gone map $maps || exit 1
[ "$(the_byte)" = "$before" ] || { echo 'a uprobe is left'; exit 1; }
sampling kinds=alloc hz=499 open "add=$pid" \
	"probe=alloc:$pid:$offset:/proc/$pid/exe" start || exit 1
do_work && sampled || exit 1
holds 'calls' "$(taken 'kind == "alloc"')" -eq 1000
