# SPDX-License-Identifier: Apache-2.0
# Two that ask one JVM take turns; whoever cannot wait is told by whom.  One
# that is killed amid its waking has its file removed; a file that was left
# behind is removed by the next, but not another attach's.
# Begins early: it mostly waits.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
command -v flock >/dev/null || { echo 'no flock'; exit 77; }

take_turns() {
	for i in 1 2 3 4; do
		"$sjkc" jcmd "$pid" VM.version >"$scratch/turn.$i" 2>&1 &
		eval "turn$i=\$!"
	done
	# shellcheck disable=SC2154 # by eval
	for one in $turn1 $turn2 $turn3 $turn4; do
		wait "$one" || { echo 'one of four:'; cat "$scratch"/turn.*
			return 1; }
	done
	alive "$pid" && no_litter "$pid"
}

told_by_whom() {
	flock "/proc/$pid/environ" sleep 2 &
	holder=$!
	sleep 0.3
	ask 5 jcmd --timeout 500ms "$pid" VM.version &&
		said 'is attached to this JVM' || return
	wait $holder
	ask 0 jcmd "$pid" VM.version
}

# hold MICROSECONDS: the one thread that handles signals is as late as that.
hold() {
	dispatcher=$(grep -l '^Signal Dispatch' "/proc/$pid/task"/*/comm |
		sed 's|.*/task/\([0-9]*\)/.*|\1|')
	strace -q -o "$scratch/held" -p "$dispatcher" -e trace=futex \
		-e inject=futex:delay_exit="$1" &
	tracer=$!
	for _ in $(seq 600); do
		grep -q "^TracerPid:[[:space:]]*$tracer" \
			"/proc/$pid/task/$dispatcher/status" && break
		sleep 0.1
	done
}

# The file stays until the JVM has seen it, which would print its threads else.
file_goes() {
	for _ in $(seq 600); do
		[ -e "/tmp/.attach_pid$pid" ] || break
		sleep 0.1
	done
	no_litter "$pid"
	gone=$?
	kill "$tracer"
	wait "$tracer" 2>/dev/null
	[ $gone -eq 0 ] && alive "$pid"
}

# One that gives up leaves a child with the file: it has neither our pipe nor
# the lock.
gives_up() {
	hold 4000000
	out=$("$sjkc" jcmd --timeout 300ms "$pid" VM.version 2>&1)
	[ -e "/tmp/.attach_pid$pid" ] ||
		{ echo "no file is waited with: $out"; return 1; }
	flock -n "/proc/$pid/environ" true ||
		{ echo 'the lock is still held'; return 1; }
	file_goes
}

# killed SIGNAL: amid the waking
killed() {
	hold 1000000
	"$sjkc" jcmd "$pid" VM.version >"$scratch/out" 2>"$scratch/err" &
	asking=$!
	for _ in $(seq 600); do
		[ -e "/tmp/.attach_pid$pid" ] && break
		sleep 0.02
	done
	[ -e "/tmp/.attach_pid$pid" ] || { echo 'no file to begin with'
		return 1; }
	kill "-$1" $asking
	wait $asking 2>/dev/null
	file_goes || { echo "after SIG$1"; return 1; }
}

left_behind() {
	: >"/tmp/.attach_pid$pid"
	ask 5 jcmd --timeout 1s "$pid" VM.version &&
		said 'another attach is in progress' || return
	[ -e "/tmp/.attach_pid$pid" ] || { echo 'it was taken away'; return 1; }
	alive "$pid" || return
	# Old enough by the time that this one has waited for it.
	ask 0 jcmd --timeout 30s "$pid" VM.version && no_litter "$pid"
}

check() {
	for signal in TERM KILL; do
		target "$1" && killed $signal || return
		target_end "$pid"
	done
	target "$1" && take_turns && told_by_whom || return
	target_end "$pid"
	# They take their time, and are no matter of the JDK.  Each wakes a JVM
	# that has not been woken before, also where there is only one JDK.
	if [ "$1" = "$(jdks | head -n 1)" ]; then
		target "$1" && left_behind || return
		target_end "$pid"
	fi
	[ "$1" != "$(jdks | tail -n 1)" ] || { target "$1" && gives_up; }
}

command -v strace >/dev/null || { echo 'no strace'; exit 77; }
each_jdk_at_once check
