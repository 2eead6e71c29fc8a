# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after tests/jvm/lib/target.sh, by tests of `sjkc gc`.  $sjkc is the
# binary; $gc_out and $gc_err are the output of the last run.
# shellcheck disable=SC2034,SC2154 # variables of the caller
gc_out=$scratch/gc.out
gc_err=$scratch/gc.err
target_program=Collecting
gc_log=$scratch/gc.log

# gc_target JDK COLLECTOR [JVM-OPTION…] -- ARGUMENT…: starts a JVM that collects
# garbage and logs it.  -Xlog:async keeps the log's writing out of the pauses.
gc_target() {
	gc_home=$1
	target_memory="-XX:+Use$2GC -Xms64m -Xmx64m"
	[ "$2" != Z ] || target_memory='-XX:+UseZGC -Xms160m -Xmx160m'
	shift 2
	rm -f "$gc_log"
	target "$gc_home" -Xlog:async \
		"-Xlog:gc,gc+phases,safepoint:file=$gc_log:un:filecount=0" "$@"
}

# gc STATUS ARGUMENT…: runs gc, which must exit with STATUS
gc() {
	wanted=$1
	shift
	timeout 100 "$sjkc" gc "$@" >"$gc_out" 2>"$gc_err"
	status=$?
	[ $status -eq "$wanted" ] && return
	echo "gc $*: exit status $status, not $wanted"
	cat "$gc_err"
	tail -n 5 "$gc_out"
	return 1
}

# gc_start ARGUMENT…: runs gc in the background as $gc_job, and waits until it
# has found the JVM
gc_start() {
	rm -f "$gc_err"
	env --default-signal=INT "$sjkc" gc "$@" >"$gc_out" 2>"$gc_err" &
	gc_job=$!
	target_jobs="$target_jobs $gc_job"
	target_wait "$gc_err" ';'
}

# gc_end STATUS: waits for gc
gc_end() {
	wait "$gc_job"
	status=$?
	[ $status -eq "$1" ] && return
	echo "exit status $status, not $1"
	cat "$gc_err"
	return 1
}

# gc_truth LEAST: compares the JSON of the last run with the JVM's log.  Prints
# a line per value; fails unless at least LEAST stops were compared and all are
# equal.  The first and the last stop may be those of the JVM's other side.
gc_truth() {
	python3 tests/root/lib/gc_truth.py "$gc_log" "$gc_out" >"$scratch/truth" ||
		return
	awk -v least="$1" '
		$1 == "stopped" && ($2 < least || $3 - $2 > 1) { bad = 1 }
		$1 ~ /^(sync|operation)$/ && $2 != $3 { bad = 1 }
		END { exit bad }' "$scratch/truth" && return
	echo "the records differ from the log:"
	cat "$scratch/truth"
	return 1
}

# gc_has FILE TEXT: fails, with a message, if the file does not contain TEXT
gc_has() {
	grep -qE -- "$2" "$1" && return
	echo "no $2 in $(basename "$1"):"
	head -c 2000 "$1"
	return 1
}
