# SPDX-License-Identifier: Apache-2.0
# sjkc attaches to ten JVMs of each JDK that are just starting, at different
# ages: none may be killed by the signal.  If the JVM's options disable
# attaching, sjkc names the option immediately.  If SIGQUIT is ignored, doctor prints the
# fix for its cause: a JVM without -Xrs handles the signal even if it has inherited
# SIG_IGN, and a JVM with StartAttachListener does not need the signal.
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

# ignored JDK FIX [JVM-OPTION…]: doctor prints this fix, and no other, for a JVM
# without a socket that ignores SIGQUIT
ignored() {
	jdk=$1 fix=$2
	shift 2
	target "$jdk" "$@" || return
	grep -q '^SigIgn:.*[4-7c-f]$' "/proc/$pid/status" ||
		{ echo 'SIGQUIT is not ignored'; return 1; }
	rm -f "/tmp/.java_pid$pid"
	ask 5 jcmd "$pid" VM.version && said 'cannot attach' && alive "$pid" || return
	timeout 60 "$sjkc" doctor "$pid" >"$scratch/out" 2>&1
	shown=$(sed -n '/ signal handler .*SIGQUIT is ignored/{n;s/^ *-> //p;q}' "$scratch/out")
	[ "$shown" = "$fix" ] ||
		{ echo "fix: $shown, not $fix"; cat "$scratch/out"; return 1; }
	target_end "$pid"
}

ignoring() {
	within='env --ignore-signal=QUIT'
	ignored "$1" 'restart the JVM without -Xrs' -Xrs || return
	target "$1" && ask 0 jcmd "$pid" VM.version || return
	target_end "$pid"
	within="env LD_PRELOAD=$scratch/ignore.so"
	ignored "$1" 'restart the JVM with -XX:+StartAttachListener' || return
	target "$1" -XX:+StartAttachListener && ask 0 jcmd "$pid" VM.version || return
	target_end "$pid"
	within=
}
# Code in the process that ignores SIGQUIT instead of the JVM's handler.
cat >"$scratch/ignore.c" <<-'END'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <signal.h>
	int sigaction(int signal, const struct sigaction *act, struct sigaction *old)
	{
		static const struct sigaction ignore = { .sa_handler = SIG_IGN };
		int (*next)(int, const struct sigaction *, struct sigaction *) =
			(int (*)(int, const struct sigaction *,
				 struct sigaction *))dlsym(RTLD_NEXT, "sigaction");

		return next(signal, act && signal == SIGQUIT ? &ignore : act, old);
	}
END
gcc -shared -fPIC -o "$scratch/ignore.so" "$scratch/ignore.c" -ldl || exit 1

check() {
	answered=0
	for _ in 1 2; do
		for delay in 0 0.01 0.03 0.05 0.1; do
			just_started "$1" $delay || return
		done
	done
	[ "$answered" -gt 0 ] || { echo 'none of 10 answered'; return 1; }
	ignoring "$1" && forbidden "$1" -Xrs -Xrs || return
	forbidden "$1" -XX:+DisableAttachMechanism DisableAttachMechanism ||
		return
	forbidden "$1" -XX:+DisableAttachMechanism DisableAttachMechanism \
		JDK_JAVA_OPTIONS || return
	forbidden "$1" -XX:+DisableAttachMechanism DisableAttachMechanism \
		JAVA_TOOL_OPTIONS
}

for_each_jdk check
