# SPDX-License-Identifier: Apache-2.0
# Each JDK: each changes classes otherwise.
# The bytes of classes are the same before and after probes, whether sjkc takes
# the probes back, is killed, or stops; nothing stays open in the JVM.  Another
# agent that changes a class meanwhile is counted, and the probes stay.  A
# second sjkc is refused.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/probes.sh
target_program=Probed

# classes_are same|changed: compares the classes with those before
classes_are() {
	witness Probed "$scratch/now" || return
	if cmp -s "$scratch/before" "$scratch/now"; then
		[ "$1" = same ] || { echo 'no class is changed'; return 1; }
	elif [ "$1" = same ]; then
		echo 'classes differ:'
		cat "$scratch/before" "$scratch/now"
		return 1
	fi
}

# The first session: the agent is loaded, before the witness.  The JVM may
# merge constants when a class is changed for the first time, so the second
# reading counts.
requested() {
	probes_start 'Probed*::*' arm disarm || return
	probes_finish && probes_left_nothing || return
	witness Probed "$scratch/before" && witness Probed "$scratch/before" ||
		return
	probes_start 'Probed*::*' arm line counts losses disarm || return
	probes_wait '^armed' && classes_are changed || return
	"$TOOLS/show_probes" "$pid" 'Probed::*' >"$scratch/second" 2>&1 &&
		{ echo 'a second sjkc is not refused'; return 1; }
	grep -q 'serves another sjkc' "$scratch/second" ||
		{ cat "$scratch/second"; return 1; }
	probes_go
	probes_finish || return
	grep -q '^lost 0 .* redefined [1-9][0-9]* stale 0' "$scratch/probes" ||
		{ grep '^lost' "$scratch/probes"; return 1; }
	probes_left_nothing && classes_are same
}

# killed SIGNAL: sjkc ends by a signal; STOP also lets its lease run out
killed() {
	probes_start 'Probed*::*' lease=1000 arm hold || return
	probes_wait '^armed' && classes_are changed || return
	kill "-$1" "$prober"
	exec 8>&-
	probes_left_nothing && classes_are same || { echo "after $1"; return 1; }
	[ "$1" = STOP ] || { wait "$prober"; return 0; }
	kill -CONT "$prober"
	probes_wait 'removed the instrumentation: sjkc was stopped' || return
	wait "$prober"
	return 0
}

# Another agent redefines a class while it is probed: the probes stay, and the
# new class stays after the probes, until the agent redefines it again.
redefined() {
	probes_start 'Probed::*' arm line losses disarm || return
	probes_wait '^armed' || return
	witness Probed "$scratch/now" known other || return
	probes_go
	probes_finish || return
	grep -q '^lost 0 .* redefined [1-9][0-9]* stale 0' "$scratch/probes" ||
		{ grep '^lost' "$scratch/probes"; return 1; }
	witness Probed "$scratch/now" - other || return
	grep -q 'Probed=[0-9a-f]* changed' "$scratch/now" ||
		{ echo "the other agent's change is gone"; cat "$scratch/now"
		return 1; }
}

check() {
	target_memory='-Xmx64m -Xverify:all'
	target "$1" -- "$scratch/never" 1 && witness_build "$1" || return
	requested && killed KILL && killed STOP && redefined && alive "$pid"
	status=$?
	target_end "$pid"
	return $status
}

for_each_jdk check
