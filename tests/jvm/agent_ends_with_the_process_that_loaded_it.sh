# SPDX-License-Identifier: Apache-2.0
# The agent is loaded once and sleeps between sessions.  While one client uses
# it, sjkc refuses a second client and prints the reason.  No file is left in
# the JVM's file systems and none stays open, whichever process exits or is
# killed, even if sjkc is killed while the agent is loading.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/agent.sh
root_only
command -v strace >/dev/null || { echo 'no strace'; exit 77; }

# During a session, the only file is an open one without a name; after it, none.
sessions() {
	agent 0 costs || return
	files=$(files_open "$pid")
	copies_are 1 && agent_files_removed && streams_are 0 || return
	agent_holds || return
	agent_files_removed && streams_are 1 && attach_left_nothing "$pid" $((files + 1)) || return
	agent 5 costs && said 'serves another sjkc' || return
	streams_are 1 && agent_ends TERM || return
	agent 0 alloc lock costs && streams_are 0 && copies_are 1 &&
		agent_files_removed && attach_left_nothing "$pid" "$files"
}

# The agent notices that sjkc was killed at its next event, here a sampled
# allocation.
killed() {
	agent_holds alloc=65536 || return
	streams_are 1 && agent_ends KILL && streams_are 0 && agent_files_removed || return
	agent 0 costs && copies_are 1 && alive "$pid"
}

# If no event arrives after sjkc was killed, the next sjkc takes over the agent.
taken_over() {
	agent_holds || return
	agent_ends KILL
	agent 0 costs && streams_are 0 && copies_are 1 && agent_files_removed
}

# sjkc is killed while the agent is loading.  strace delays each connection to
# the JVM's only listener thread by two seconds.
killed_while_loading() {
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
	[ -n "$made" ] || { echo 'no directory was made'; cat "$scratch/amid"
		return 1; }
	[ "$(stat -c '%u %a' "$made")" = '4321 700' ] ||
		{ stat "$made"; return 1; }
	kill "-$1" $loader
	wait $loader 2>/dev/null
	agent_files_removed || { echo "after SIG$1"; return 1; }
	kill $tracer
	wait $tracer 2>/dev/null
	alive "$pid" && agent 0 costs && agent_files_removed && streams_are 0
}

target_ends() {
	agent_holds || return
	# The descriptor keeps the JVM's /tmp after the JVM has exited.
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
		killed_while_loading $signal || return
	done
	target_ends
}

each_jdk_in_parallel check
