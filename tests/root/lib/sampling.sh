# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after tests/jvm/lib/target.sh, by tests of the sampler: starts a
# workload with known properties, and a program that samples it.  Processes are
# ended by PID when the test ends.
# shellcheck disable=SC2154 # variables of the caller
#
#	workload threads=2 burn=500 || exit 1	# $pid, $work
#	sampling hz=999 open add=$pid start || exit 1
#	go && sampled || exit 1
#	[ "$(taken 'kind == "cpu"')" -gt 0 ]

work_number=0

# workload WORD…: starts workload.c and waits until it is ready.  Sets $pid, its
# PID in its own namespace, and $work.  $within is a command that runs it.
workload() {
	work_number=$((work_number + 1))
	work=$scratch/work.$work_number
	mkfifo "$work.in" || return
	# Opened for reading and writing, the pipe has no end of file.
	# shellcheck disable=SC2086 # words
	${within-} "$TOOLS/workload" "$@" <>"$work.in" \
		>"$work.out" 2>&1 &
	target_pids="$target_pids $!"
	target_wait "$work.out" READY || return
	# shellcheck disable=SC2034 # for the caller
	pid=$(sed -n 's/^READY //p' "$work.out")
}

# begin_work: starts the work of $work.  do_work: starts it and waits for its
# end.
begin_work() {
	echo >"$work.in"
}

do_work() {
	begin_work && target_wait "$work.out" DONE
}

# end_work: ends $work after its work
end_work() {
	echo >"$work.in"
}

# cpu_of [TID]: prints the CPU time of the work, or of a thread, in ns
cpu_of() {
	sed -n "s/^${1:+thread $1 }cpu=//p" "$work.out"
}

# tids: prints the threads of the workload, one per line
tids() {
	sed -n 's/^tid //p' "$work.out"
}

# sampling WORD…: runs take_samples.c in the background.  Returns when it has
# executed all words; it then reads samples until sampled is called.
# $sampler_within is a command that runs take_samples.
sampling() {
	rm -f "$scratch/told"
	mkfifo "$scratch/told" || return
	# shellcheck disable=SC2086 # words
	${sampler_within-} "$TOOLS/take_samples" "$@" say=BEGUN \
		read-on stop read=0 counts clock <>"$scratch/told" \
		>"$scratch/took" 2>"$scratch/took.err" &
	sampler=$!
	target_jobs="$target_jobs $sampler"
	while ! grep -qs BEGUN "$scratch/took"; do
		kill -0 $sampler 2>/dev/null || {
			wait $sampler
			status=$?
			cat "$scratch/took.err"
			return $status
		}
		sleep 0.05
	done
}

# sampled: ends take_samples and waits for it
sampled() {
	echo >"$scratch/told"
	wait "$sampler" && return
	echo "take_samples: exit status $?"
	cat "$scratch/took.err"
	return 1
}

# taken CONDITION [SUM]: prints the number of samples that match an awk
# expression in kind, tgid, tid, weight, flags, kernel and stack; has(flags,
# bit) is a function.  With SUM, prints the sum of that expression.
taken() {
	awk '
		function has(all, bit) { return int(all / bit) % 2 }
		$1 == "sample" {
			kind = $2; tgid = $3 + 0; tid = $4 + 0
			split($5 "=" $6 "=" $7 "=" $8, part, "=")
			weight = part[2] + 0; flags = part[4] + 0
			kernel = part[6] + 0; stack = part[8] + 0
			if ('"$1"') sum += '"${2-1}"'
		}
		END { printf "%.0f\n", sum }' "$scratch/took"
}

# count_of NAME: prints the count "taken", "lost" or "received"
count_of() {
	sed -n "s/^counts .*$1=\([0-9]*\).*/\1/p" "$scratch/took"
}

# holds TEXT TEST…: fails, with a message, if the test fails
holds() {
	what=$1
	shift
	[ "$@" ] && return
	echo "$what: not $*"
	tail -n 3 "$scratch/took"
	return 1
}
