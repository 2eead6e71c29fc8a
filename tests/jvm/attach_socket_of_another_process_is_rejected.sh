# SPDX-License-Identifier: Apache-2.0
# sjkc rejects every socket in place of the JVM's that another process may have
# put there: a socket of another user, a socket that others may open, a link, a
# regular file.  It sends nothing to them.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
root_only
command -v python3 >/dev/null || { echo 'no python3'; exit 77; }

# listen UID MODE: starts a listener of that user at the socket's path, which
# writes what it receives to $scratch/heard.tmp.
listen() {
	rm -f "$scratch/heard.tmp" "$scratch/listening"
	python3 - "$path" "$1" "$2" "$scratch" <<-'END' &
		import os, socket, sys
		path, uid, mode, scratch = sys.argv[1:]
		ready = open(scratch + "/listening", "w")
		heard = open(scratch + "/heard.tmp", "w")
		os.setgid(int(uid)); os.setuid(int(uid))
		s = socket.socket(socket.AF_UNIX)
		s.bind(path)
		os.chmod(path, int(mode, 8))
		s.listen(5)
		print("ready", file=ready, flush=True)
		s.settimeout(30)
		c, _ = s.accept()
		c.settimeout(3)
		try:
		    c.sendall(b"0\nforged\n")
		    print(end=c.recv(100).decode(), file=heard, flush=True)
		except OSError:
		    pass
	END
	listener=$!
	target_wait "$scratch/listening" ready
}

# refused UID MODE TEXT: with such a listener, jcmd fails and prints TEXT.
refused() {
	listen "$1" "$2" || return
	ask 5 jcmd "$pid" VM.version && printed_nothing && said "$3"
	result=$?
	kill -KILL $listener 2>/dev/null
	wait $listener 2>/dev/null
	rm -f "$path"
	[ ! -s "$scratch/heard.tmp" ] ||
		{ echo 'sjkc sent something to it'; result=1; }
	return $result
}

# leave_socket: makes the socket of an earlier JVM with the same PID, to which
# no process listens.
leave_socket() {
	rm -f "/tmp/.java_pid$pid"
	python3 -c 'import os, socket, sys
os.umask(0o177)
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "/tmp/.java_pid$pid"
}

left_behind() {
	target "$1" && leave_socket && ask 0 jcmd "$pid" VM.version &&
		alive "$pid" || return
	target_end "$pid"
	target "$1" -XX:+DisableAttachMechanism && leave_socket &&
		ask 5 jcmd "$pid" VM.version &&
		said DisableAttachMechanism && alive "$pid" || return
	target_end "$pid"
	rm -f "/tmp/.java_pid$pid"
}

# The file of a user whom the JVM ignores is no attach in progress.
foreign_trigger() {
	trigger=/tmp/.attach_pid$pid
	setpriv --reuid 65534 --regid 65534 --clear-groups touch "$trigger" &&
		ask 0 jcmd "$pid" VM.version || return
	[ "$(stat -c %u "$trigger")" = 65534 ] ||
		{ echo 'the file of another user is gone'; return 1; }
	rm "$trigger"
	[ ! -e "/proc/$pid/cwd/.attach_pid$pid" ] ||
		{ echo 'a file is left'; return 1; }
}

check() {
	left_behind "$1" && target "$1" || return
	path=/tmp/.java_pid$pid
	refused 65534 600 'belongs to uid 65534' &&
		refused 0 666 'mode 666' &&
		refused 0 600 'listens on it' || return
	ln -s "$scratch/elsewhere" "$path"
	ask 5 jcmd "$pid" VM.version && said 'a link' || return
	rm "$path"
	: >"$path"
	ask 5 jcmd "$pid" VM.version && said 'not a socket' || return
	rm "$path"
	alive "$pid" && attach_left_nothing "$pid" || return
	# Without the other sockets, sjkc attaches.
	foreign_trigger || return
	target_end "$pid"
}

for_each_jdk check
