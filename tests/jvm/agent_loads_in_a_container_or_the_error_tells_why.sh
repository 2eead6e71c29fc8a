# SPDX-License-Identifier: Apache-2.0
# Into a JVM of another user in mount, pid and user namespaces of its own, and
# from wherever in it a library can be loaded; else it is named what is wrong
# with each place, and nothing has been loaded or left.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/agent.sh
root_only

# tells: the agent has told of some code.
tells() {
	agent 0 costs || return
	read -r _ _ bytes <"$scratch/out"
	[ "$bytes" -gt 5000 ] || { echo "$bytes bytes"; return 1; }
	no_folders && streams_are 0 && alive "$pid"
}

contained() {
	target_contained "$1" || return
	tells && copies_are 1 && tells && copies_are 1 || return
	target_end "$pid"
	inner_uid=0
	target_contained "$1" || return
	inner_uid=1
	tells || return
	target_end "$pid"
}

# A root directory that is a folder here: paths are others than they look.
chrooted() {
	cat >"$scratch/chroot.sh" <<-END
		cd "$scratch" && mkdir -p root && mount -t tmpfs none root &&
		cd root && mkdir -m 1777 tmp && mkdir usr proc dev etc var &&
		ln -s usr/bin usr/lib usr/lib64 . || exit 1
		for dir in usr proc dev etc var; do
			mount --rbind /\$dir \$dir || exit 1
		done
		exec chroot . "\$@"
	END
	within="unshare --mount sh $scratch/chroot.sh"
	target "$1" || return
	within=
	tells && copies_are 1 && tells && copies_are 1 || return
	target_end "$pid"
}

# mounted WHERE OPTIONS: a tmpfs, in the JVM's namespace
mounted() {
	nsenter -t "$pid" -m -- mount -t tmpfs -o "$2" none "$1"
}

places() {
	tmp_options=noexec
	target_contained "$1" || return
	tmp_options=
	# Only there can it be loaded from; the stream goes there, too.
	mounted /dev/shm mode=1777 && tells || return
	grep -q '/dev/shm/.sjkc-.*/agent-' "/proc/$pid/maps" ||
		{ grep /agent- "/proc/$pid/maps"; return 1; }
	target_end "$pid"
	# One place for the library, another for the stream: none has both.
	tmp_options=noexec
	target_contained "$1" || return
	tmp_options=
	mounted /dev/shm mode=1777,noexec && mounted /var/tmp mode=1777,ro &&
		agent 5 costs && said '/tmp: noexec; /dev/shm: noexec' &&
		said '/var/tmp: read-only' && copies_are 0 && no_folders ||
		return
	mounted /dev/shm mode=1777,size=64k,nr_inodes=40 &&
		mounted /var/tmp mode=700 && agent 5 costs &&
		said '/dev/shm: no space left; /var/tmp: Permission denied' &&
		copies_are 0 && no_folders && alive "$pid" || return
	target_end "$pid"
}

refusals() {
	target "$1" -XX:-EnableDynamicAgentLoading || return
	agent 5 costs && said 'started with -XX:-EnableDynamicAgentLoading' &&
		copies_are 0 && alive "$pid" || return
	target_end "$pid"
	target "$1" -XX:+DisableAttachMechanism || return
	agent 5 costs && said 'DisableAttachMechanism' && copies_are 0 &&
		alive "$pid" || return
	target_end "$pid"
}

# warned COUNT: so many lines that it was about to warn, and as many that it did.
warned() {
	told=$(grep -c 'will print a warning' "$scratch/out")
	printed=$(grep -c 'has been loaded dynamically' "$said")
	[ "$told" -eq "$1" ] && [ "$printed" -eq "$1" ] && return
	echo "$told told, $printed printed, not $1:"
	cat "$scratch/out"
	return 1
}

# JDK 21 on has its own to say, once; it is said before, unless it was told not
# to.  Without files that tell its version, the JVM is asked.
warnings() {
	case $(basename "$1") in *-17-*) modern=0 ;; *) modern=1 ;; esac
	target "$1" || return
	agent 0 warning && warned $modern || return
	agent 0 warning && ! grep -q 'will print' "$scratch/out" || return
	target_end "$pid"
	target "$1" -XX:+EnableDynamicAgentLoading || return
	agent 0 warning && warned 0 || return
	target_end "$pid"
	cat >"$scratch/hide.sh" <<-END
		mount --bind /dev/null "\$(readlink -f "$1/release")" && exec "\$@"
	END
	within="unshare --mount sh $scratch/hide.sh"
	target "$1" -XX:-UsePerfData || return
	within=
	agent 0 warning && warned $modern || return
	target_end "$pid"
}

check() {
	contained "$1" && chrooted "$1" && places "$1" && refusals "$1" && warnings "$1"
}

each_jdk_at_once check
