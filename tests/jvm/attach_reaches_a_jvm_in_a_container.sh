# SPDX-License-Identifier: Apache-2.0
# sjkc attaches to a JVM of another user in its own mount, PID and user
# namespaces, with its own /tmp.  If that /tmp cannot have the attach files,
# sjkc prints the reason and sends no signal.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
root_only

contained() {
	target_contained "$1" -- threads=3 || return
	ask 0 jcmd "$pid" VM.version && printed 'VM version' &&
		ask 0 jstack -l "$pid" && printed '"idle-2"' || return
	files=$(files_open "$pid")
	ask 0 jcmd "$pid" VM.version && ask 5 jcmd "$pid" No.such &&
		alive "$pid" && attach_left_nothing "$pid" "$files" || return
	# No attach file was left outside the container either.
	[ ! -e /tmp/.attach_pid1 ] && [ ! -e "/tmp/.java_pid$pid" ] || return
	target_end "$pid"
}

# inner_root JDK: the user is root inside the container.
inner_root() {
	inner_uid=0
	target_contained "$1" || return
	inner_uid=1
	ask 0 jcmd "$pid" VM.version && alive "$pid" && attach_left_nothing "$pid" ||
		return
	target_end "$pid"
}

# hopeless JDK OPTIONS TEXT: with these mount options of /tmp, jcmd prints TEXT
# and the JVM gets no signal.
hopeless() {
	tmp_options=$2
	target_contained "$1" || return
	tmp_options=
	[ -z "${4-}" ] || nsenter -t "$pid" -m -- sh -c "$4" || return
	ask 5 jcmd --timeout 3s "$pid" VM.version && said "$3" &&
		alive "$pid" && attach_left_nothing "$pid" || return
	target_end "$pid"
}

# noexec_tmp JDK: attaching executes nothing in /tmp.
noexec_tmp() {
	tmp_options=noexec,nosuid,nodev
	target_contained "$1" || return
	tmp_options=
	ask 0 jcmd "$pid" VM.version && alive "$pid" && attach_left_nothing "$pid" ||
		return
	target_end "$pid"
}

# no_tmp JDK: the JVM's root directory has no /tmp.
no_tmp() {
	cat >"$scratch/chroot.sh" <<-END
		cd "$scratch" && mkdir -p root && mount -t tmpfs none root &&
		cd root && mkdir usr proc dev etc var &&
		ln -s usr/bin usr/lib usr/lib64 . || exit 1
		for dir in usr proc dev etc var; do
			mount --rbind /\$dir \$dir || exit 1
		done
		exec chroot . "\$@"
	END
	within="unshare --mount sh $scratch/chroot.sh"
	target "$1" || return
	within=
	ask 5 jcmd --timeout 3s "$pid" VM.version && said 'cannot be opened' &&
		alive "$pid" || return
	target_end "$pid"
}

# other_network JDK: the JVM also has its own network and IPC namespaces.
other_network() {
	within='unshare --net --ipc'
	target "$1" || return
	within=
	ask 0 jcmd "$pid" VM.version && alive "$pid" && attach_left_nothing "$pid" ||
		return
	target_end "$pid"
}

check() {
	contained "$1" && inner_root "$1" && other_network "$1" &&
		noexec_tmp "$1" && no_tmp "$1" ||
		return
	hopeless "$1" ro 'read-only' || return
	hopeless "$1" nr_inodes=6 'no free inode' \
		'setpriv --reuid=4321 --regid=4321 --clear-groups \
			touch /tmp/1 /tmp/2 /tmp/3 /tmp/4 2>/dev/null; true' ||
		return
	hopeless "$1" rw 'cannot write to its /tmp' \
		'mount -t tmpfs -o mode=755 none /tmp'
}

for_each_jdk check
