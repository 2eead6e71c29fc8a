# SPDX-License-Identifier: Apache-2.0
# The screen shows the JVM's threads, a stack trace, and deadlocks.  When the
# JVM has ended, ttop restores the terminal.
sjkc=$(realpath "$1") scratch=$2
. tests/screen/lib/terminal
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
trap 'tm kill-server; target_end_all' EXIT
export LC_ALL=C.UTF-8

# local_screen JDK: uses ttop as a person would
local_screen() {
	target "$1" -- threads=300 burners=1 blocked=3 deadlock=2 || return
	rm -f "$scratch/ended"
	terminal 120 40 "stty -g >'$scratch/before'
		'$sjkc' ttop -p $pid; echo status \$?
		stty -g >'$scratch/after'; touch '$scratch/ended'
		exec sleep 1000"
	eventually shows '[|' && eventually shows ' burner-0' || return
	press / 'burner' Enter Enter
	eventually shows '"burner-0"' && eventually shows 'Target.burn' || return
	press q Escape d
	eventually shows 'Deadlock 1:' && eventually shows 'deadlock-left' ||
		return
	press q u
	eventually shows 'idle-* (300)' || return
	target_end "$pid"
	eventually test -e "$scratch/ended" || return
	eventually shows 'status 0' || return
	# The last report stays on the terminal, with the reason for the end.
	eventually shows "$pid has exited" &&
		eventually shows 'idle-* (300)' || return
	cmp "$scratch/before" "$scratch/after" || return
	[ "$(state)" = 'alternate 0 mouse 0 cursor 1 keypad 0' ] || {
		state
		return 1
	}
	tm kill-server
}

# jmx_screen JDK: the same over JMX; the last report stays, too
jmx_screen() {
	jmx_target "$1" -- threads=30 burners=1 || return
	rm -f "$scratch/ended"
	terminal 120 40 "'$sjkc' ttop -s 127.0.0.1:$port --reconnect 0; echo status \$?
		touch '$scratch/ended'; exec sleep 1000"
	eventually shows ' burner-0' || return
	press u
	eventually shows 'idle-* (30)' || return
	target_end "$pid"
	eventually test -e "$scratch/ended" || return
	eventually shows 'status 0' &&
		eventually shows 'the JVM no longer responds' &&
		eventually shows 'idle-* (30)' &&
		eventually shows ' burner-' || return
	tm kill-server
}

check() {
	local_screen "$1" && jmx_screen "$1"
}

for_each_jdk check
