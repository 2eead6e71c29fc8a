#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/jvm/lib/torture_attach.sh SJKC CYCLES
#
# Attaches to JVMs in seven situations: starting, stopped, with attach or
# signals disabled, killed during the request, with several clients, and with
# clients that are killed.  The JDKs take turns.  The last line counts JVMs that
# exited although the test did not kill them, files left behind, thread dumps
# printed by JVMs, and requests that took far longer than their timeout.  All
# must be 0.
cd "$(dirname "$0")/../../.." || exit 2
sjkc=$(realpath "$1") cycles=$2
scratch=$(mktemp -d)
. tests/jvm/lib/target.sh
trap 'target_end_all; rm -rf "$scratch"' EXIT
deaths=0 litter=0 dumps=0 hangs=0 answered=0 wrong=0
most_ms=25000

# number_below LIMIT: sets $number to a pseudorandom number; the sequence
# depends only on SEED.
seed=${SEED:-1}
number_below() {
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	number=$((seed / 65536 % $1))
}

# ask ARGUMENT…: runs sjkc, and counts it if it took too long or exited with a
# status that no situation explains.
ask() {
	began=$(date +%s%N)
	timeout -s KILL 60 "$sjkc" "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	[ $((($(date +%s%N) - began) / 1000000)) -lt $most_ms ] ||
		hangs=$((hangs + 1))
	[ $status -ne 0 ] || answered=$((answered + 1))
	case $status in
	0 | 3 | 5 | 7 | 137 | 143) ;;
	*) wrong=$((wrong + 1)); echo "sjkc $*: $status"; cat "$scratch/err" ;;
	esac
}

# runs: succeeds if the target has not exited.
runs() {
	case $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' \
		"/proc/$pid/status" 2>/dev/null) in
	'' | Z | X) return 1 ;;
	esac
}

# inspect SITUATION: counts the damage to a target that the test did not kill.
inspect() {
	runs || { deaths=$((deaths + 1)); echo "$1: exited"; }
	! grep -q 'Full thread dump' "$said" 2>/dev/null ||
		{ dumps=$((dumps + 1)); echo "$1: printed a thread dump"; }
	no_attach_file "$1"
}

# no_attach_file SITUATION: counts .attach_pid if it is left behind.
no_attach_file() {
	# If the client was killed, its cleanup process removes the file once
	# the JVM has seen it.
	for _ in $(seq 600); do
		[ -e "/tmp/.attach_pid$pid" ] || return
		sleep 0.1
	done
	litter=$((litter + 1))
	echo "$1: /tmp/.attach_pid$pid is left"
	rm -f "/tmp/.attach_pid$pid"
}

end() {
	target_end "$pid"
	rm -f "/tmp/.java_pid$pid" "$said"
	target_pids=
}

# pause MILLISECONDS: sleeps for a pseudorandom time below MILLISECONDS.
pause() {
	number_below "$1"
	sleep "0.$(printf %03d "$number")"
}

starting() {
	target_start "$1" && pause 150
	ask jcmd "$pid" VM.version
	inspect starting
}

asker_killed() {
	target_start "$1" && pause 400
	"$sjkc" jstack "$pid" >/dev/null 2>&1 &
	asking=$!
	pause 60
	kill -KILL $asking 2>/dev/null
	wait $asking 2>/dev/null
	inspect asker_killed
	ask jcmd "$pid" VM.version
	inspect asked_again
}

target_killed() {
	target_start "$1" -- threads=50 && pause 600
	number_below 100
	(sleep "0.0$number"; kill -KILL "$pid") &
	ask jstack "$pid"
	wait $!
	no_attach_file target_killed
}

stopped() {
	target_start "$1" && pause 600
	kill -STOP "$pid"
	ask jcmd --timeout 300ms "$pid" VM.version
	kill -CONT "$pid"
	inspect stopped
}

forbidden() {
	target_start "$1" -XX:+DisableAttachMechanism && pause 400
	ask jcmd "$pid" VM.version
	inspect forbidden
}

no_signals() {
	target_start "$1" -Xrs && pause 400
	ask jcmd "$pid" VM.version
	rm -f "/tmp/.java_pid$pid"
	ask jcmd --timeout 1s "$pid" VM.version
	inspect no_signals
}

several() {
	target_start "$1" && pause 400
	"$sjkc" jstack "$pid" >/dev/null 2>&1 &
	first=$!
	"$sjkc" jcmd "$pid" VM.flags >/dev/null 2>&1 &
	ask jcmd "$pid" VM.version
	wait $first $!
	inspect several
}

# shellcheck disable=SC2046 # one word each
set -- $(jdks)
[ $# -gt 0 ] || { echo 'no JDK'; exit 77; }
# run_cycle NUMBER JDK: runs the situation whose turn it is
run_cycle() {
	case $(($1 % 7)) in
	0) starting "$2" ;;
	1) asker_killed "$2" ;;
	2) target_killed "$2" ;;
	3) stopped "$2" ;;
	4) forbidden "$2" ;;
	5) no_signals "$2" ;;
	6) several "$2" ;;
	esac
	end
}

cycle=0
while [ $cycle -lt "$cycles" ]; do
	# Dividing by the number of JDKs gives each JDK each situation.
	run_cycle $((cycle / $#)) "$1"
	jdk=$1
	shift
	set -- "$@" "$jdk"
	cycle=$((cycle + 1))
done
echo "$cycles cycles, $answered replies: $deaths JVMs exited, $litter files left," \
	"$dumps thread dumps printed, $hangs hangs, $wrong unexpected exit statuses"
[ $((deaths + litter + dumps + hangs + wrong)) -eq 0 ] && [ $answered -gt 0 ]
