# SPDX-License-Identifier: Apache-2.0
# sjkc threads --count reports the dumps that it has taken when the JVM exits or
# the user interrupts it.  A dump that is late does not shorten the interval to the
# next one.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
jdk=$(jdks | tail -n 1)

# series_wait COUNT: waits until the JVM has served COUNT dumps
series_wait() {
	for _ in $(seq 3000); do
		[ "$(grep -c 'PrintThreads' "$scratch/log")" -lt "$1" ] || return 0
		sleep 0.1
	done
	echo "the JVM served fewer than $1 dumps:"
	tail -n 5 "$scratch/log"
	return 1
}

# series_start INTERVAL: takes dumps of a new JVM, and waits until the JVM has
# served two of them, so that sjkc has read the first
series_start() {
	rm -f "$scratch/log"
	target "$jdk" -Xlog:safepoint:file="$scratch/log" -- threads=2 ||
		return
	env --default-signal=INT "$sjkc" threads --count 100000 \
		--interval "$1" "$pid" >"$scratch/out" 2>"$scratch/err" &
	job=$! target_jobs=$!
	series_wait 2
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

# series_is_late: stops sjkc for several intervals, after which each is as long
# as asked
series_is_late() {
	kill -STOP "$job" && sleep 1 && kill -CONT "$job" && series_wait 6 &&
		awk -F '[][s]' '/PrintThreads/ {
			if (n++ && $2 - last < 0.199)
				print "dumps at", last, "s and", $2, "s"
			last = $2
		}' "$scratch/log" >"$scratch/early" &&
		[ ! -s "$scratch/early" ] && return
	cat "$scratch/early"
	return 1
}

series_start 200ms && series_is_late &&
	kill -INT "$job" && series_ended 0 interrupted && target_end "$pid" &&
	series_start 20ms && target_end "$pid" && series_ended 7 .
