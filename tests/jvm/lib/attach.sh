# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after target.sh, by tests that attach to JVMs.  $sjkc is the binary,
# $scratch the test's own directory, $pid the JVM.
# shellcheck disable=SC2154 # variables of the caller

# ask STATUS ARGUMENT…: runs sjkc and fails unless it exits with STATUS.  Its
# output is in $scratch/out and $scratch/err, its duration in milliseconds in
# $took.  A command that must succeed waits for replies until ask gives up: on a
# busy machine, a JVM may need more than the default time.
ask() {
	wanted=$1
	shift
	case "$wanted $*" in
	*' --timeout '*) ;;
	'0 mx -'* | '0 mxdump -'* | '0 ttop '*' --jmx '* | '0 ttop -u '* | \
	'0 jcmd -'[psu]* | "0 jcmd ${pid-} "* | \
	"0 threads "*" ${pid-}" | "0 jstack "*" ${pid-}")
		ask_command=$1
		shift
		set -- "$ask_command" --timeout 290s "$@"
		;;
	esac
	# In hundredths of a second; date would be another process.
	read -r ask_began _ </proc/uptime
	timeout 300 "$sjkc" "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	read -r ask_ended _ </proc/uptime
	# shellcheck disable=SC2034 # for the caller
	took=$(((${ask_ended%.*}${ask_ended#*.} -
		${ask_began%.*}${ask_began#*.}) * 10))
	[ "$status" -eq "$wanted" ] && return
	echo "sjkc $*: exit status $status, not $wanted"
	head -n 5 "$scratch/out" "$scratch/err"
	return 1
}

# said TEXT: fails unless the standard error of the last ask contains TEXT.
said() {
	grep -qF -- "$1" "$scratch/err" && return
	echo "not on standard error: $1"
	cat "$scratch/err"
	return 1
}

# printed TEXT: fails unless the standard output of the last ask contains TEXT.
printed() {
	grep -qF -- "$1" "$scratch/out" && return
	echo "not on standard output: $1"
	head -n 20 "$scratch/out"
	return 1
}

# printed_nothing: fails unless the standard output of the last ask is empty.
printed_nothing() {
	[ ! -s "$scratch/out" ] || { echo "printed:"; cat "$scratch/out"; return 1; }
}

# alive PID: fails if the JVM has exited or has printed a thread dump.
alive() {
	kill -0 "$1" 2>/dev/null || { echo "$1 has ended"; return 1; }
	case $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status") in
	'' | Z | X) echo "$1 has ended"; return 1 ;;
	esac
	! grep -q 'Full thread dump' "${said-/dev/null}" 2>/dev/null ||
		{ echo "$1 printed a thread dump"; return 1; }
}

# attach_left_nothing PID [MAXIMUM]: fails if an attach file is left in a
# directory where the JVM looks for one.  With MAXIMUM, it also waits up to 60 s
# until the JVM has at most MAXIMUM files open: the client has the whole reply
# shortly before the JVM closes its end of the connection.
attach_left_nothing() {
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
	echo "$now files are open, more than $2"
	return 1
}

# files_open PID: prints the number of open file descriptors.
files_open() {
	find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l
}

# for_each_jdk FUNCTION: calls FUNCTION with each JDK of the test, and prints
# the JDK with which it failed.
for_each_jdk() {
	[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
	for jdk in $(jdks); do
		"$1" "$jdk" || { echo "with $jdk"; exit 1; }
	done
}

# in_parallel NAME COMMAND…: starts the command in a subshell that has its own
# scratch directory, $scratch/NAME, and ends the processes that the command
# started.  in_parallel_wait waits for all these commands and prints the output
# of those that failed.
in_parallel() {
	mkdir -p "$scratch/$1"
	(in_parallel_subshell "$@") >"$scratch/$1.said" 2>&1 &
	target_jobs="$target_jobs $!"
	in_parallel_jobs="${in_parallel_jobs-} $1:$!"
}

in_parallel_subshell() {
	# shellcheck disable=SC2034 # for target
	target_pids='' target_jobs='' in_parallel_jobs=''
	trap target_end_all EXIT
	trap 'exit 143' TERM INT HUP
	scratch=$scratch/$1
	shift
	"$@"
}

in_parallel_wait() {
	in_parallel_failed=0
	for job in $in_parallel_jobs; do
		wait "${job#*:}" && continue
		in_parallel_failed=1
		echo "${job%:*}:"
		cat "$scratch/${job%:*}.said"
	done
	target_jobs='' in_parallel_jobs=''
	return $in_parallel_failed
}

# each_jdk_in_parallel FUNCTION: like for_each_jdk, but runs the calls at the
# same time.  Use it for tests that mostly wait.
each_jdk_in_parallel() {
	[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
	for jdk in $(jdks); do
		in_parallel "$(basename "$jdk")" "$1" "$jdk"
	done
	in_parallel_wait || exit 1
}

root_only() {
	[ "$(id -u)" -eq 0 ] || { echo 'not root'; exit 77; }
}
