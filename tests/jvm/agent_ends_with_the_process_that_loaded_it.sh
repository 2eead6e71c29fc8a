# SPDX-License-Identifier: Apache-2.0
# An agent is loaded once and sleeps between sessions; a second client is told
# so while there is a first.  Whoever ends, however, nothing is left in the
# JVM's file systems, and no file stays open; killed amid the loading, too.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/agent.sh
root_only
command -v strace >/dev/null || { echo 'no strace'; exit 77; }

# Nothing is there but an open file that has no name; then nothing at all.
sessions() {
	agent 0 costs || return
	files=$(files_open "$pid")
	copies_are 1 && no_folders && streams_are 0 || return
	agent_holds || return
	no_folders && streams_are 1 && no_litter "$pid" $((files + 1)) || return
	agent 5 costs && said 'serves another sjkc' || return
	streams_are 1 && agent_ends TERM || return
	agent 0 alloc lock costs && streams_are 0 && copies_are 1 &&
		no_folders && no_litter "$pid" "$files"
}

# It stops at the next event that it hears, here a sampled allocation.
killed() {
	agent_holds alloc=65536 || return
	streams_are 1 && agent_ends KILL && streams_are 0 && no_folders || return
	agent 0 costs && copies_are 1 && alive "$pid"
}

# One that hears nothing is taken over by the next.
taken_over() {
	agent_holds || return
	agent_ends KILL
	agent 0 costs && streams_are 0 && copies_are 1 && no_folders
}

# The JVM's one listener is two seconds late for each connection.
killed_amid() {
	listener=$(grep -l '^Attach Listener' "/proc/$pid/task"/*/comm |
		sed 's|.*/task/\([0-9]*\)/.*|\1|')
	strace -q -o "$scratch/late" -p "$listener" \
		-e trace=accept,accept4 \
		-e inject=accept,accept4:delay_exit=2000000 &
	tracer=$!
	target_wait "/proc/$pid/task/$listener/status" \
		"^TracerPid:[[:space:]]*$tracer" || return
	"$TOOLS/show_agent" "$pid" costs >"$scratch/amid" 2>&1 &
	loader=$!
	for _ in $(seq 1 600); do
		made=$(find "/proc/$pid/root/tmp" -maxdepth 1 -name '.sjkc-*')
		[ -z "$made" ] || break
		sleep 0.02
	done
	[ -n "$made" ] || { echo 'no folder was made'; cat "$scratch/amid"
		return 1; }
	[ "$(stat -c '%u %a' "$made")" = '4321 700' ] ||
		{ stat "$made"; return 1; }
	kill "-$1" $loader
	wait $loader 2>/dev/null
	no_folders || { echo "after SIG$1"; return 1; }
	kill $tracer
	wait $tracer 2>/dev/null
	alive "$pid" && agent 0 costs && no_folders && streams_are 0
}

target_ends() {
	agent_holds || return
	# Its /tmp lives on here.
	exec 9<"/proc/$pid/root/tmp"
	target_end "$pid"
	left=$(find /proc/self/fd/9/ -name '.sjkc-*' | head -n 3)
	exec 9<&-
	agent_ends TERM
	[ -z "$left" ] || { echo "left: $left"; return 1; }
}

check() {
	target_contained "$1" -- allocators=1 || return
	sessions && killed && taken_over || return
	for signal in TERM KILL; do
		killed_amid $signal || return
	done
	target_ends
}

each_jdk_at_once check
