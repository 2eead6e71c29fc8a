# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after tests/jvm/lib/target.sh, by tests of the sampler: a workload
# that does what is known, and what samples it.  What they start is ended when
# they are, by its pid.
# shellcheck disable=SC2154 # by who sources it
#
#	workload threads=2 burn=500 || exit 1	# $pid, $work
#	sampling hz=999 open add=$pid start || exit 1
#	go && sampled || exit 1
#	[ "$(taken 'kind == "cpu"')" -gt 0 ]

work_number=0

# workload WORD…: as workload.c says, up to where it is ready.  Sets $pid, as it
# sees itself, and $work; what $within holds stands before the command.
workload() {
	work_number=$((work_number + 1))
	work=$scratch/work.$work_number
	mkfifo "$work.in" || return
	# Open for reading and writing, it never ends.
	# shellcheck disable=SC2086 # words
	${within-} "$TOOLS/workload" "$@" <>"$work.in" \
		>"$work.out" 2>&1 &
	target_pids="$target_pids $!"
	target_wait "$work.out" READY || return
	# shellcheck disable=SC2034 # for the caller
	pid=$(sed -n 's/^READY //p' "$work.out")
}

# begin_work: has $work begin.  do_work: waits, too, until it has done.
begin_work() {
	echo >"$work.in"
}

do_work() {
	begin_work && target_wait "$work.out" DONE
}

# end_work: when it has done.
end_work() {
	echo >"$work.in"
}

# cpu_of [TID]: ns of CPU time that the work took, or a thread's.
cpu_of() {
	sed -n "s/^${1:+thread $1 }cpu=//p" "$work.out"
}

# tids: of the workload, one a line.
tids() {
	sed -n 's/^tid //p' "$work.out"
}

# sampling DEED…: as take_samples.c says, in the background; returns when it has
# got to the end of the deeds, after which it reads until it is told; what
# $sampler_within holds stands before the command.
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

# sampled: tells it to end, and waits.
sampled() {
	echo >"$scratch/told"
	wait "$sampler" && return
	echo "take_samples: exit status $?"
	cat "$scratch/took.err"
	return 1
}

# taken CONDITION [SUM]: how many samples are so, an expression of awk in kind,
# tgid, tid, weight, flags, kernel and stack; has(flags, bit) is a
# function.  Given SUM, the sum of that expression instead.
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

# count_of NAME: taken, lost or received.
count_of() {
	sed -n "s/^counts .*$1=\([0-9]*\).*/\1/p" "$scratch/took"
}

# holds TEXT TEST…: says what does not.
holds() {
	what=$1
	shift
	[ "$@" ] && return
	echo "$what: not $*"
	tail -n 3 "$scratch/took"
	return 1
}
