# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154 # variables of the caller
# Sourced, after prof.sh, by tests of native memory.  They sample NativeLeak of the
# JDK $jdk with $target_arguments; $start replaces target.
target_program=NativeLeak
target_arguments=

# weight NAME: prints the bytes of the stack traces with this method
weight() {
	awk -v name="NativeLeak.$1" 'index($0, name) { n += $NF }
		END { printf "%d\n", n }' "$scratch/out.collapsed"
}

# near NAME PERCENT: fails unless the weight of a method is the program's number
near() {
	is=$(weight "$1")
	true=$(sed -n "s/^$1 //p" "$said")
	echo "| $(basename "$jdk"): $1: $is, $true by the program"
	[ $((100 * is)) -ge $(((100 - $2) * true)) ] &&
		[ $((100 * is)) -le $(((100 + $2) * true)) ] && return
	echo "$1: $is is not $true"
	return 1
}

# record EVENT OPTION…: starts a JVM and samples it while it leaks
record() {
	event=$1
	shift
	rm -f "$scratch/go"
	# shellcheck disable=SC2086 # words
	${start-target} "$jdk" -XX:MaxDirectMemorySize=512m -- "$scratch/go" \
		$target_arguments || return
	prof_start "$pid" -e "$event" "$@" -o "$scratch/out.jfr" || return
	target_wait "$prof_err" 'press Ctrl-C' "$prof_job" || { cat "$prof_err"; return 1; }
	: >"$scratch/go"
	target_wait "$said" DONE "$starter" || return
	kill -INT "$prof_pid"
	prof_end 0 &&
		"$sjkc" flame "$scratch/out.jfr" --total -o "$scratch/out.collapsed"
}

# live_leaks: fails unless the leaks have the program's numbers, and other blocks none
live_leaks() {
	record nativemem --alloc-interval 16k || return
	has "$prof_err" 'nativemem: [0-9]+ allocations, [0-9]+ frees and [0-9]+ mappings per second' &&
		near leakInflater 10 && near leakBuffer 10 && near leakBlocks 10 &&
		near touch 1 || return
	is=$(weight churn)
	[ "$is" -lt $((1 << 20)) ] || { echo "churn: $is is not freed"; return 1; }
	has "$prof_err" 'sampled allocations omitted: [0-9,]+ of [0-9,]+ '
}
