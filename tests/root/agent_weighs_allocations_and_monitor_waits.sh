# SPDX-License-Identifier: Apache-2.0
# A uprobe on a function of the agent, in a file that was unlinked, takes
# samples of allocations and waits for monitors.  Their weights add up to the
# program's own counts, and the samples have stacks.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/root/lib/sampling.sh
jvm_tools=$TOOLS/../../jvm/lib

# of NAME: prints the program's count
of() {
	sed -n "s/^$1 //p" "$said"
}

# near NAME SUM TRUE PERCENT: fails unless SUM is within PERCENT of TRUE
near() {
	echo "| $(basename "$jdk"): $1: $2, $3 by the JVM"
	[ $((100 * $2)) -ge $(((100 - $4) * $3)) ] &&
		[ $((100 * $2)) -le $(((100 + $4) * $3)) ] && return
	echo "$1: $2 is not $3"
	return 1
}

check() {
	go=$scratch/go.$(basename "$1")
	target_program=Weights
	target "$1" -- "$go" || return
	target_program=Target
	: >"$scratch/held"
	timeout 100 "$jvm_tools/show_agent" "$pid" alloc=16384 lock probes \
		costs hold >"$scratch/held" 2>&1 </dev/null &
	keeper=$!
	target_jobs="$target_jobs $keeper"
	target_wait "$scratch/held" '^[0-9]* [0-9]* [0-9]*$' || return
	probes=$(sed -n 's/^\(\/proc[^ ]*\) \(.*\)/\2:\1/p' "$scratch/held")
	# shellcheck disable=SC2086 # words
	set -- $probes
	sampling kinds=alloc,lock stack=4096 open "add=$pid" "probe=alloc:$pid:$1" \
		"probe=lock:$pid:$2" start || return
	: >"$go"
	target_wait "$said" DONE && sampled || return
	kill $keeper
	near 'bytes' "$(taken 'kind == "alloc"' weight)" "$(of ALLOCATED)" 5 &&
		near 'ns' "$(taken 'kind == "lock"' weight)" "$(of WAITED)" 5 &&
		holds 'waits' "$(taken 'kind == "lock" && weight > 9e7')" -eq 5 &&
		holds 'allocations' "$(taken 'kind == "alloc"')" -gt 5000 &&
		holds 'with stacks' "$(taken 'stack > 400')" -eq "$(taken 1)" &&
		holds 'lost' "$(count_of lost)" -eq 0 && alive "$pid" || return
	target_end "$pid"
}

root_only
for_each_jdk check
