# SPDX-License-Identifier: Apache-2.0
# The agent loads into a JVM of another user in its own mount, PID and user
# namespaces, from any directory there that allows it.  If no directory does,
# the error names the reason for each directory, nothing is loaded, and no file
# is left behind.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/agent.sh
root_only

# agent_reports_code: fails unless the agent has reported compiled code.
agent_reports_code() {
	agent 0 costs || return
	read -r _ _ bytes <"$scratch/out"
	[ "$bytes" -gt 5000 ] || { echo "$bytes bytes"; return 1; }
	agent_files_removed && streams_are 0 && alive "$pid"
}

contained() {
	target_contained "$1" || return
	agent_reports_code && copies_are 1 && agent_reports_code &&
		copies_are 1 || return
	target_end "$pid"
	inner_uid=0
	target_contained "$1" || return
	inner_uid=1
	agent_reports_code || return
	target_end "$pid"
}

# The JVM runs in a chroot, so its paths differ from those outside.
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
	# Without counters, the version comes from a file of the JDK.
	target "$1" -XX:-UsePerfData || return
	within=
	"$sjkc" jps >"$scratch/jps" 2>&1
	grep -q "^ *$pid .*[0-9] s  *[0-9]" "$scratch/jps" ||
		{ cat "$scratch/jps"; return 1; }
	agent_reports_code && copies_are 1 && agent_reports_code &&
		copies_are 1 || return
	target_end "$pid"
}

# mount_tmpfs DIRECTORY OPTIONS: mounts a tmpfs in the JVM's mount namespace
mount_tmpfs() {
	nsenter -t "$pid" -m -- mount -t tmpfs -o "$2" none "$1"
}

places() {
	tmp_options=noexec
	target_contained "$1" || return
	tmp_options=
	# Only /dev/shm allows loading a library; it has the stream, too.
	mount_tmpfs /dev/shm mode=1777 && agent_reports_code || return
	grep -q '/dev/shm/.sjkc-.*/agent-' "/proc/$pid/maps" ||
		{ grep /agent- "/proc/$pid/maps"; return 1; }
	target_end "$pid"
	# Each directory is suitable for the library or for the stream, but none
	# for both.
	tmp_options=noexec
	target_contained "$1" || return
	tmp_options=
	mount_tmpfs /dev/shm mode=1777,noexec &&
		mount_tmpfs /var/tmp mode=1777,ro &&
		agent 5 costs && said '/tmp: noexec; /dev/shm: noexec' &&
		said '/var/tmp: read-only' && copies_are 0 && agent_files_removed ||
		return
	mount_tmpfs /dev/shm mode=1777,size=64k,nr_inodes=40 &&
		mount_tmpfs /var/tmp mode=700 && agent 5 costs &&
		said '/dev/shm: no space left; /var/tmp: Permission denied' &&
		copies_are 0 && agent_files_removed && alive "$pid" || return
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

# warned COUNT: fails unless sjkc announced COUNT warnings and the JVM printed
# COUNT.
warned() {
	announced=$(grep -c 'will print a warning' "$scratch/out")
	printed=$(grep -c 'has been loaded dynamically' "$said")
	[ "$announced" -eq "$1" ] && [ "$printed" -eq "$1" ] && return
	echo "$announced announced, $printed printed, not $1:"
	cat "$scratch/out"
	return 1
}

# From JDK 21 on, the JVM prints a warning when the first agent is loaded.  sjkc
# announces it unless the JVM's options disable it.  If no file contains the
# version of the JDK, sjkc asks the JVM.
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

each_jdk_in_parallel check
