# SPDX-License-Identifier: Apache-2.0
# The JVM is killed at different times of an attach: sjkc exits soon and reports
# that the JVM has ended.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

# A JVM that is stopped, and killed while it is stopped.
killed_before_the_reply() {
	target "$1" || return
	ask 0 jcmd "$pid" VM.version || return
	target_stop "$pid" || return
	(sleep 1; kill -KILL "$pid") &
	# sjkc attaches to no stopped JVM.
	began=$(date +%s)
	"$sjkc" jcmd "$pid" VM.version >"$scratch/out" 2>"$scratch/err"
	status=$?
	wait $!
	[ "$status" -eq 5 ] && said 'state T' || return
	target_end "$pid"
}

# killed_at JDK DELAY: kills the JVM while it is woken, or while it sends a
# reply of a few hundred kilobytes.
killed_at() {
	target "$1" -- threads=150 || return
	"$sjkc" jstack --timeout 100s "$pid" >"$scratch/out" 2>"$scratch/err" &
	asking=$!
	sleep "$2"
	kill -KILL "$pid"
	began=$(date +%s)
	wait $asking
	status=$?
	[ $(($(date +%s) - began)) -le 60 ] ||
		{ echo "killed after $2 s: took too long"; return 1; }
	case $status in
	# 3 also means that the JVM had ended before sjkc found it.
	0 | 3) ;;
	7) said 'exited' || return ;;
	*)
		echo "killed after $2 s: exit status $status"
		cat "$scratch/err"
		return 1
		;;
	esac
	target_end "$pid"
	rm -f "/tmp/.java_pid$pid"
	[ ! -e "/tmp/.attach_pid$pid" ] ||
		{ echo 'an attach file is left'; return 1; }
}

check() {
	killed_before_the_reply "$1" || return
	for after in 0 0.01 0.1; do
		killed_at "$1" $after || return
	done
}

for_each_jdk check
