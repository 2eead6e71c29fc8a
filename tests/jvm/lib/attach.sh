# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after target.sh, by tests that ask JVMs by attach.  $sjkc is the
# binary, $scratch a folder of the test's own, $pid the JVM.
# shellcheck disable=SC2154 # by who sources it

# ask STATUS ARGUMENT…: runs sjkc, which must end with that status; what it
# printed is in $scratch/out and $scratch/err, how long it took in $took (ms).
ask() {
	wanted=$1
	shift
	began=$(date +%s%N)
	timeout 300 "$sjkc" "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	# shellcheck disable=SC2034 # for the caller
	took=$((($(date +%s%N) - began) / 1000000))
	[ "$status" -eq "$wanted" ] && return
	echo "sjkc $*: exit status $status, not $wanted"
	head -n 5 "$scratch/out" "$scratch/err"
	return 1
}

# said TEXT: the last ask's stderr has it.
said() {
	grep -qF -- "$1" "$scratch/err" && return
	echo "not said: $1"
	cat "$scratch/err"
	return 1
}

# printed TEXT: the last ask's stdout has it.
printed() {
	grep -qF -- "$1" "$scratch/out" && return
	echo "not printed: $1"
	head -n 20 "$scratch/out"
	return 1
}

# printed_nothing: the last ask's stdout is empty.
printed_nothing() {
	[ ! -s "$scratch/out" ] || { echo "printed:"; cat "$scratch/out"; return 1; }
}

# alive PID: it still runs, and has not printed its threads.
alive() {
	kill -0 "$1" 2>/dev/null || { echo "$1 has ended"; return 1; }
	case $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status") in
	'' | Z | X) echo "$1 has ended"; return 1 ;;
	esac
	! grep -q 'Full thread dump' "${said-/dev/null}" 2>/dev/null ||
		{ echo "$1 printed its threads"; return 1; }
}

# no_litter PID [MOST]: no file of an attach is left where the JVM would see
# it; given MOST, it soon has at most so many files open: a client has all of a
# reply a moment before the JVM closes its end.
no_litter() {
	ns_pid=$(awk '$1 == "NSpid:" { print $NF }' "/proc/$1/status")
	for dir in "/proc/$1/root/tmp" "/proc/$1/cwd" .; do
		[ ! -e "$dir/.attach_pid$ns_pid" ] ||
			{ echo "$dir/.attach_pid$ns_pid is left"; return 1; }
	done
	[ -n "${2-}" ] || return 0
	for _ in $(seq 1 600); do
		now=$(files_open "$1")
		[ "$now" -gt "$2" ] || return 0
		sleep 0.1
	done
	echo "$now files are open, not $2"
	return 1
}

files_open() {
	find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l
}

# for_each_jdk FUNCTION: runs it with each JDK; says which one failed.
for_each_jdk() {
	[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
	for jdk in $(jdks); do
		"$1" "$jdk" || { echo "with $jdk"; exit 1; }
	done
}

# at_once NAME COMMAND…: runs it beside others, with a scratch folder of its own
# that has that name; what it starts ends with it.  at_once_done waits for all,
# and says what those said that failed.
at_once() {
	mkdir -p "$scratch/$1"
	(at_once_here "$@") >"$scratch/$1.said" 2>&1 &
	target_jobs="$target_jobs $!"
	at_once_names="${at_once_names-} $1:$!"
}

at_once_here() {
	# shellcheck disable=SC2034 # for target
	target_pids='' target_jobs='' at_once_names=''
	trap target_end_all EXIT
	trap 'exit 143' TERM INT HUP
	scratch=$scratch/$1
	shift
	"$@"
}

at_once_done() {
	at_once_failed=0
	for one in $at_once_names; do
		wait "${one#*:}" && continue
		at_once_failed=1
		echo "${one%:*}:"
		cat "$scratch/${one%:*}.said"
	done
	target_jobs='' at_once_names=''
	return $at_once_failed
}

# each_jdk_at_once FUNCTION: as for_each_jdk, for what mostly waits.
each_jdk_at_once() {
	[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
	for jdk in $(jdks); do
		at_once "$(basename "$jdk")" "$1" "$jdk"
	done
	at_once_done || exit 1
}

root_only() {
	[ "$(id -u)" -eq 0 ] || { echo 'not root'; exit 77; }
}
