# SPDX-License-Identifier: Apache-2.0
# Several sjkc that attach to one JVM take turns.  One that times out names the
# process that is attached.  If sjkc is killed while it wakes the JVM, its
# attach file is removed.  A file that was left behind is removed by the next
# sjkc, but the file of a running attach is not.
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
	alive "$pid" && attach_left_nothing "$pid"
}

# A file of another file system has the same inode number, and its lock is listed
# first: its holder is not attached.
timeout_names_the_attached_process() {
	flock "/proc/$pid/environ" sleep 3 &
	holder=$!
	inode=$(stat -Lc %i "/proc/$pid/environ")
	for _ in $(seq 100); do
		grep -q ":$inode " /proc/locks && break
		sleep 0.02
	done
	sed -n "s/ $holder [0-9a-f]*:[0-9a-f]*:$inode / 1 fe:99:$inode /p" \
		/proc/locks >"$scratch/locks.$pid"
	cat /proc/locks >>"$scratch/locks.$pid"
	# shellcheck disable=SC2016 # variables of the inner shell
	unshare --mount sh -c 'mount --bind "$1" /proc/locks && shift && exec "$@"' \
		sh "$scratch/locks.$pid" "$sjkc" jcmd --timeout 500ms "$pid" \
		VM.version >"$scratch/out" 2>"$scratch/err"
	if grep -q '^unshare: ' "$scratch/err"; then
		ask 5 jcmd --timeout 500ms "$pid" VM.version || return
	fi
	said "process $holder is attached to this JVM" || return
	wait $holder
	ask 0 jcmd "$pid" VM.version
}

# delay_signals MICROSECONDS: delays the JVM's thread that handles signals.
delay_signals() {
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

# attach_file_removed: fails unless the attach file is removed and the JVM
# printed no thread dump.  The file must stay until the JVM has seen it: without
# it, the signal would make the JVM print one.
attach_file_removed() {
	for _ in $(seq 600); do
		[ -e "/tmp/.attach_pid$pid" ] || break
		sleep 0.1
	done
	attach_left_nothing "$pid"
	gone=$?
	kill "$tracer"
	wait "$tracer" 2>/dev/null
	[ $gone -eq 0 ] && alive "$pid"
}

# After its timeout, sjkc leaves a child process that removes the file later.
# The child holds neither sjkc's output nor its lock.
gives_up() {
	delay_signals 4000000
	out=$("$sjkc" jcmd --timeout 300ms "$pid" VM.version 2>&1)
	[ -e "/tmp/.attach_pid$pid" ] ||
		{ echo "there is no attach file: $out"; return 1; }
	flock -n "/proc/$pid/environ" true ||
		{ echo 'the lock is still held'; return 1; }
	attach_file_removed
}

# killed SIGNAL: kills sjkc while it wakes the JVM
killed() {
	delay_signals 1000000
	"$sjkc" jcmd "$pid" VM.version >"$scratch/out" 2>"$scratch/err" &
	asking=$!
	for _ in $(seq 600); do
		[ -e "/tmp/.attach_pid$pid" ] && break
		sleep 0.02
	done
	[ -e "/tmp/.attach_pid$pid" ] || { echo 'sjkc made no attach file'
		return 1; }
	kill "-$1" $asking
	wait $asking 2>/dev/null
	attach_file_removed || { echo "after SIG$1"; return 1; }
}

left_behind() {
	: >"/tmp/.attach_pid$pid"
	ask 5 jcmd --timeout 1s "$pid" VM.version &&
		said 'another attach is in progress' || return
	[ -e "/tmp/.attach_pid$pid" ] || { echo 'sjkc removed it'; return 1; }
	alive "$pid" || return
	# While this command waits, the file becomes old enough to be removed.
	ask 0 jcmd --timeout 30s "$pid" VM.version && attach_left_nothing "$pid"
}

check() {
	for signal in TERM KILL; do
		target "$1" && killed $signal || return
		target_end "$pid"
	done
	target "$1" && take_turns && timeout_names_the_attached_process || return
	target_end "$pid"
	# The next two are slow and do not depend on the JDK, so each runs with
	# one JDK.  Each needs a new JVM, which has no attach socket yet.
	if [ "$1" = "$(jdks | head -n 1)" ]; then
		target "$1" && left_behind || return
		target_end "$pid"
	fi
	[ "$1" != "$(jdks | tail -n 1)" ] || { target "$1" && gives_up; }
}

command -v strace >/dev/null || { echo 'no strace'; exit 77; }
each_jdk_in_parallel check
