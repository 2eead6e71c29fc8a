# SPDX-License-Identifier: Apache-2.0
# sjkc threads --count reports the dumps that it has taken when the JVM exits or
# the user interrupts it.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
jdk=$(jdks | tail -n 1)

# series_start: takes dumps of a new JVM, and waits until the JVM has served two
# of them, so that sjkc has read the first
series_start() {
	rm -f "$scratch/log"
	target "$jdk" -Xlog:safepoint:file="$scratch/log" -- threads=2 ||
		return
	env --default-signal=INT "$sjkc" threads --count 100000 \
		--interval 20ms "$pid" >"$scratch/out" 2>"$scratch/err" &
	job=$! target_jobs=$!
	for _ in $(seq 3000); do
		[ "$(grep -c 'PrintThreads' "$scratch/log")" -lt 2 ] || return 0
		sleep 0.1
	done
	echo "the JVM served no dumps:"
	tail -n 5 "$scratch/log"
	return 1
}

# series_ended STATUS REASON
series_ended() {
	wait "$job"
	status=$? target_jobs=
	[ "$status" -eq "$1" ] &&
		grep -Eq "took [0-9]+ of 100000 dumps: $2" "$scratch/err" &&
		grep -q ' threads: ' "$scratch/out" && return
	echo "exit status $status:"
	head -n 5 "$scratch/out" "$scratch/err"
	return 1
}

series_start && kill -INT "$job" && series_ended 0 interrupted &&
	target_end "$pid" &&
	series_start && target_end "$pid" && series_ended 7 .
