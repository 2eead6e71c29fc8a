# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after tests/jvm/lib/target.sh, by tests that compare the reports of
# several samplers about one thread of a JVM, "worker".  $sjkc is the binary,
# $pid the JVM; jdk_jfr runs the JDK's jfr command.
# shellcheck disable=SC2154 # variables of the caller

# begin NAME OPTION…: starts prof, which writes NAME.collapsed.  On a busy
# machine, the worker needs minutes for its CPU time.
begin() {
	name=$1
	shift
	env --default-signal=INT timeout --foreground 1800 "$sjkc" prof -p "$pid" \
		--thread-name '^worker$' --annotate --samples \
		-o "$scratch/$name.collapsed" "$@" 2>"$scratch/$name.err" &
	eval "${name}_job=$!"
	target_jobs="$target_jobs $!"
	target_wait "$scratch/$name.err" 'sampling\|safepoints'
}

# finish NAME: ends prof; status 7 means lost samples, which do not change
# shares
finish() {
	eval "job=\$${1}_job"
	kill -INT "$job"
	wait "$job"
	status=$?
	case $status in 0 | 7) return ;; esac
	echo "prof: exit status $status"
	cat "$scratch/$1.err"
	return 1
}

jfr() {
	timeout 60 "$sjkc" jcmd "$pid" "$@" >"$scratch/out" 2>&1 ||
		{ cat "$scratch/out"; return 1; }
}

# find_worker: sets $worker_task, within a minute: the thread starts after READY
find_worker() {
	for _ in $(seq 1 600); do
		for worker_task in "/proc/$pid/task"/*; do
			read -r worker_name <"$worker_task/comm" &&
				[ "$worker_name" = worker ] && return
		done
		sleep 0.1
	done
	return 1
}

# ticks: sets $ticks to the worker's CPU time in ticks of 10 ms.  It starts no
# program, because it is called often while the worker runs.
ticks() {
	if [ "${worker_of-}" != "$pid" ]; then
		find_worker || { echo 'no worker'; return 1; }
		worker_of=$pid
	fi
	read -r worker_stat <"$worker_task/stat" || return
	# shellcheck disable=SC2086 # words
	set -- ${worker_stat##*) }
	ticks=$((${12} + ${13}))
}

# burn TICKS: waits until the worker has used TICKS more, at most ten minutes
burn() {
	ticks || return
	until_ticks=$((ticks + $1))
	for _ in $(seq 1 1200); do
		ticks || return
		[ $ticks -lt $until_ticks ] || return 0
		sleep 0.5
	done
	echo "the worker has had $ticks ticks, not $until_ticks"
	return 1
}

# omit_biased: omits the samples that the JVM marks as biased.  It cannot walk
# the stack in its stubs, such as arraycopy, and uses the stack of the next
# safepoint instead.  A twentieth or a quarter of the samples are biased,
# depending on the CPU.  From the samples of prof, it omits those whose leaf is
# not a Java frame.
omit_biased() {
	jdk_jfr print --json --stack-depth 2048 \
		--events jdk.CPUTimeSample "$scratch/cpu.jfr" |
		python3 tests/root/lib/unbiased.py worker 2>"$scratch/biased" \
			>"$scratch/jdk.collapsed" || return
	sed "s/^/| the JDK's: /" "$scratch/biased"
	for ours in "$@"; do
		grep -E '_\[[ji01]\] [0-9]+$' "$scratch/$ours.collapsed" \
			>"$scratch/unbiased" &&
			mv "$scratch/unbiased" "$scratch/$ours.collapsed" ||
			return
	done
}
