# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after target.sh and attach.sh, by tests of the agent in the JVM $pid.
# shellcheck disable=SC2154 # variables of the caller

# agent STATUS COMMAND…: runs show_agent with these commands (see show_agent.c)
# and fails unless it exits with STATUS.  Its output is in $scratch/out and
# $scratch/err.
agent() {
	wanted=$1
	shift
	timeout 300 "$TOOLS/show_agent" "$pid" "$@" >"$scratch/out" \
		2>"$scratch/err" </dev/null
	status=$?
	[ "$status" -eq "$wanted" ] && return
	echo "show_agent $*: exit status $status, not $wanted"
	head -n 5 "$scratch/out" "$scratch/err"
	return 1
}

# agent_holds COMMAND…: runs show_agent in the background, and returns when it
# has run all the commands and holds the agent.  $holder is its PID.
agent_holds() {
	: >"$scratch/held"
	timeout 300 "$TOOLS/show_agent" "$pid" "$@" costs hold \
		>"$scratch/held" 2>&1 </dev/null &
	keeper=$!
	target_jobs="$target_jobs $keeper"
	target_wait "$scratch/held" '^[0-9]* [0-9]* [0-9]*$' || return
	holder=$(cat "/proc/$keeper/task"/*/children)
	holder=${holder%% *}
}

# agent_ends SIGNAL: sends the signal to $holder and waits for its exit.
agent_ends() {
	kill "-$1" "$holder"
	wait "$keeper" 2>/dev/null
	return 0
}

# code_ranges: prints a line "START END" in hexadecimal for each compiled
# method, as Compiler.codelist reports it.
code_ranges() {
	"$sjkc" jcmd "$pid" Compiler.codelist |
		sed -n 's/.*, 0x\([0-9a-f]*\) - 0x\([0-9a-f]*\)\].*/\1 \2/p'
}

# agent_files_removed: waits up to 60 s until the JVM's file systems contain no
# file of the agent.
agent_files_removed() {
	for _ in $(seq 1 600); do
		left=$(find "/proc/$pid/root/tmp" "/proc/$pid/cwd/" \
			-maxdepth 1 -name '.sjkc-*' 2>/dev/null)
		[ -n "$left" ] || return 0
		sleep 0.1
	done
	echo "left: $left"
	return 1
}

# streams_are COUNT: waits up to 60 s until the JVM has COUNT stream files open.
streams_are() {
	for _ in $(seq 1 600); do
		streams=$(find "/proc/$pid/fd" -lname '*/.sjkc-*' 2>/dev/null |
			wc -l)
		[ "$streams" -ne "$1" ] || return 0
		sleep 0.1
	done
	echo "$streams stream files are open, not $1"
	return 1
}

# copies_are COUNT: fails unless the JVM has mapped COUNT copies of the library.
copies_are() {
	copies=$(grep -c ' r-xp .*/.sjkc-.*/agent-.*(deleted)$' \
		"/proc/$pid/maps")
	[ "$copies" -eq "$1" ] || { echo "$copies copies, not $1"; return 1; }
}
