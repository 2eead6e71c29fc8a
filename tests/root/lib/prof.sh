# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after tests/jvm/lib/target.sh, by tests of `sjkc prof`.  $sjkc is the
# binary; $prof_out and $prof_err are the output of the last run.
# shellcheck disable=SC2154 # variables of the caller
prof_out=$scratch/prof.out
prof_err=$scratch/prof.err
# The first frame of a stack trace that reaches the thread's root.  The unwinder
# marks all others with [unknown] or [truncated], even without names.
# shellcheck disable=SC2034 # for the caller
at_root='([^[]|\[[^ut])'

# The messages about losses that the load of the machine explains.
prof_losses=' lost: |threads not checked: '

# prof STATUS OPTION…: runs prof, which must exit with STATUS.  Status 7 is
# accepted instead of 0 if the only losses are samples without space, sleeping
# threads that prof had no time to check, and one or two reads of memory that took
# more than a second because the helper process had no CPU (seen with a helper of the
# policy SCHED_IDLE beside busy threads; more time for it would hold up all other
# samples).  These losses depend on the load of the machine, and other tests check
# them.
prof() {
	wanted=$1
	shift
	timeout 600 "$sjkc" prof "$@" >"$prof_out" 2>"$prof_err"
	status=$?
	[ $status -eq "$wanted" ] && return
	[ "$wanted$status" = 07 ] && prof_lacked_time && return
	echo "prof $*: exit status $status, not $wanted"
	cat "$prof_err"
	return 1
}

prof_lacked_time() {
	grep -Eq "$prof_losses" "$prof_err" &&
		! grep -E "$prof_losses" "$prof_err" | grep -Evq \
			-e 'samples lost: .*a buffer was full' \
			-e 'threads not checked: |reads lost: [12] \('
}

# prof_start OPTION…: starts prof in the background; $prof_pid receives signals
prof_start() {
	env --default-signal=INT timeout 1200 "$sjkc" prof "$@" \
		>"$prof_out" 2>"$prof_err" &
	prof_job=$!
	target_jobs="$target_jobs $prof_job"
	for _ in $(seq 1 100); do
		prof_pid=$(cat "/proc/$prof_job/task/$prof_job/children" \
			2>/dev/null)
		prof_pid=${prof_pid%% *}
		[ -z "$prof_pid" ] || return 0
		sleep 0.02
	done
	echo 'prof has not begun'
	return 1
}

# cpu_second: waits until the target has used another second of CPU time, however
# long that takes
cpu_second() {
	cpu_before=$(cpu_ticks)
	for _ in $(seq 600); do
		[ "$(cpu_ticks)" -lt $((cpu_before + 100)) ] || break
		sleep 0.1
	done
}

# cpu_ticks: prints the CPU time of the target, in 1/100 s
cpu_ticks() { sed 's/.*) //' "/proc/$pid/stat" | awk '{ print $12 + $13 }'; }

# prof_end STATUS: waits for prof
prof_end() {
	wait "$prof_job"
	status=$?
	[ $status -eq "$1" ] && return
	echo "exit status $status, not $1"
	cat "$prof_err"
	return 1
}

# jvm_ticks: sets $ticks to the CPU time of the JVM in ticks of 10 ms
jvm_ticks() {
	read -r jvm_stat <"/proc/$pid/stat" || return
	# shellcheck disable=SC2086 # words
	set -- ${jvm_stat##*) }
	ticks=$((${12} + ${13}))
}

# jvm_burns TICKS: waits, at most ten minutes, until the JVM has used TICKS more
jvm_burns() {
	jvm_ticks || return
	until_ticks=$((ticks + $1))
	for _ in $(seq 1 1200); do
		jvm_ticks || return
		[ $ticks -lt $until_ticks ] || return 0
		sleep 0.5
	done
	echo "the JVM has had $ticks ticks, not $until_ticks"
	return 1
}

# weight_of FILE PATTERN [PART]: prints the share in percent of the lines that
# match the extended expression, among the lines that match PART
weight_of() {
	awk -v pattern="$2" -v part="${3-.}" '
		$0 ~ part {
			n = $NF
			all += n
			if ($0 ~ pattern) some += n
		}
		END { printf "%d\n", all ? 100 * some / all : 0 }' "$1"
}

# has FILE TEXT: fails, with a message, if the file does not contain TEXT
has() {
	grep -qE -- "$2" "$1" && return
	echo "no $2 in $(basename "$1"):"
	head -c 2000 "$1"
	return 1
}

# at_least LEAST SHARE NAME: fails, with a message, if SHARE is below LEAST
at_least() {
	[ "$2" -ge "$1" ] && return
	echo "$3: $2 %, not $1"
	return 1
}
