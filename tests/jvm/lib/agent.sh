# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after target.sh and attach.sh, by tests of the agent in a JVM: $pid.
# shellcheck disable=SC2154 # by who sources it

# agent STATUS DEED…: as show_agent.c says; what it prints is in $scratch/out
# and $scratch/err.
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

# agent_holds DEED…: in the background, as $holder, when it has got to its end.
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

# agent_ends SIGNAL: and waits for its end.
agent_ends() {
	kill "-$1" "$holder"
	wait "$keeper" 2>/dev/null
	return 0
}

# Where compiled code begins and ends, by the JVM's own word, a line each.
code_ranges() {
	"$sjkc" jcmd "$pid" Compiler.codelist |
		sed -n 's/.*, 0x\([0-9a-f]*\) - 0x\([0-9a-f]*\)\].*/\1 \2/p'
}

# no_folders: nothing of the agent's is in the JVM's file systems; soon.
no_folders() {
	for _ in $(seq 1 600); do
		left=$(find "/proc/$pid/root/tmp" "/proc/$pid/cwd/" \
			-maxdepth 1 -name '.sjkc-*' 2>/dev/null)
		[ -n "$left" ] || return 0
		sleep 0.1
	done
	echo "left: $left"
	return 1
}

# streams_are COUNT: so many stream files the JVM has open; soon.
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

# copies_are COUNT: of the library, that the JVM has mapped.
copies_are() {
	copies=$(grep -c ' r-xp .*/.sjkc-.*/agent-.*(deleted)$' \
		"/proc/$pid/maps")
	[ "$copies" -eq "$1" ] || { echo "$copies copies, not $1"; return 1; }
}
