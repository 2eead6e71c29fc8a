# SPDX-License-Identifier: Apache-2.0
# sjkc attaches to ten JVMs of each JDK that are just starting, at different
# ages: none may be killed by the signal.  If the JVM's options disable
# attaching, sjkc names the option immediately.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

# just_started JDK DELAY: attaches DELAY seconds after the start
just_started() {
	target_start "$1" || return
	sleep "$2"
	timeout 300 "$sjkc" jcmd "$pid" VM.version >"$scratch/out" \
		2>"$scratch/err"
	status=$?
	case $status in
	0 | 3) ;;
	*) echo "after $2 s: exit status $status"; cat "$scratch/err"; return 1 ;;
	esac
	if ! alive "$pid" || ! attach_left_nothing "$pid"; then
		echo "after $2 s"
		return 1
	fi
	answered=$((answered + (status == 0)))
	target_end "$pid"
	rm -f "/tmp/.java_pid$pid"
}

# forbidden JDK OPTION TEXT [VARIABLE]: OPTION, on the command line or in
# VARIABLE, makes jcmd fail with TEXT
forbidden() {
	if [ -n "${4-}" ]; then
		within="env $4=$2"
		target "$1" || return
		within=
	else
		target "$1" "$2" || return
	fi
	# With -Xrs the JVM opens its socket at the start, because it cannot be
	# woken.
	if [ "$2" = -Xrs ]; then
		ask 0 jcmd "$pid" VM.version || return
		rm "/tmp/.java_pid$pid"
	fi
	ask 5 jcmd "$pid" VM.version && said "$3" && alive "$pid" &&
		attach_left_nothing "$pid" || return
	target_end "$pid"
}

check() {
	answered=0
	for _ in 1 2; do
		for delay in 0 0.01 0.03 0.05 0.1; do
			just_started "$1" $delay || return
		done
	done
	[ "$answered" -gt 0 ] || { echo 'none of 10 answered'; return 1; }
	forbidden "$1" -Xrs -Xrs || return
	forbidden "$1" -XX:+DisableAttachMechanism DisableAttachMechanism ||
		return
	forbidden "$1" -XX:+DisableAttachMechanism DisableAttachMechanism \
		JDK_JAVA_OPTIONS || return
	forbidden "$1" -XX:+DisableAttachMechanism DisableAttachMechanism \
		JAVA_TOOL_OPTIONS
}

for_each_jdk check
