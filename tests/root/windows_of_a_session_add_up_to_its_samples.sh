# SPDX-License-Identifier: Apache-2.0
# A session that starts a new profile every 300 ms loses no sample and counts
# none twice.  All windows together have the waits of each thread as counted by
# the kernel, and the CPU time of the process.  Each window has the same names
# and numbers of threads and functions.  A wait is cut where a window ends: no
# window has more time of a thread than it lasts, and none lacks time.
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/sampling.sh

# record NAME EVENTS WINDOW_MS WORD…: samples a workload into NAME
record() {
	name=$1 events=$2 window_ms=$3
	shift 3
	workload threads=4 depth=8 "$@" || return
	"$TOOLS/sample_windows" "$events" "$window_ms" 0 "$pid" \
		>"$scratch/$name" 2>"$scratch/$name.err" &
	job=$!
	target_jobs="$target_jobs $job"
	target_wait "$scratch/$name" BEGUN || return
	switches >"$scratch/before"
	begun=$(date +%s%N)
	begin_work
	sleep 2
	switches >"$scratch/after"
	target_wait "$work.out" DONE || return
	end_work
	wait "$job" && return
	cat "$scratch/$name.err"
	return 1
}

# switches: prints "TID NUMBER" for each thread, its number of context switches
switches() {
	for tid in $(tids); do
		awk -v tid="$tid" '/ctxt_switches/ { sum += $2 }
			END { print tid, sum }' "/proc/$pid/task/$tid/status"
	done
}

# of NAME CONDITION SUM: sums over cells whose fields are event, tid, samples
# and weight
of() {
	awk '$1 == "cell" {
		window = $2; event = $3; tid = $4; samples = $5; weight = $6
		if ('"$2"') sum += '"$3"'
	}
	END { printf "%.0f\n", sum }' "$scratch/$1"
}

windows_of() {
	grep -c ^window "$scratch/$1"
}

expect() {
	test "$2" "$3" "$4" && return
	echo "$1: not $2 $3 $4"
	grep -hE '^(remark|window)' "$scratch/$name" | tail -n 20
	exit 1
}

# After two seconds each thread is in its last sleep.  There is one more wait
# than switches, which began before sampling; threads wait a few times more
# until they have ended.
for window_ms in 0 100; do
	record "w.$window_ms" 2 "$window_ms" 'sleep=20*40' 'sleep=3000*1' || exit 1
	grep ' samples lost' "$scratch/w.$window_ms" && exit 1
	all=0 waits=0
	for tid in $(tids); do
		n=$(of "w.$window_ms" "tid == $tid" samples)
		switches=$(($(sed -n "s/^$tid //p" "$scratch/after") -
			$(sed -n "s/^$tid //p" "$scratch/before")))
		expect "waits of $tid" "$n" -le \
			$((switches + 6 + $(windows_of "w.$window_ms")))
		expect "ns of sleep of $tid" "$(of "w.$window_ms" \
			"tid == $tid && /nanosleep/" weight)" -ge 700000000
		all=$((all + n))
		waits=$((waits + switches + 1))
	done
	unended=$(awk '/^remark .* waits omitted$/ { sum += $3 }
		END { print sum + 0 }' "$scratch/w.$window_ms")
	expect 'all waits' $((all + unended)) -ge $waits
done
# Each window has the time of each thread: the threads sleep for 3.8 s, with short
# interruptions.  Windows that lack a wait without a reported end are skipped.
awk -v tids=" $(echo $(tids)) " -v until=$((begun / 1000 + 3600000)) '
	/waits omitted$/ { lacks[$2] = 1 }
	$1 == "cell" && index(tids, " " $4 " ") { ns[$2, $4] += $6 }
	$1 == "window" { began[$2] = $3; ended[$2] = $4; last = $2 }
	END {
		n = split(tids, all)
		for (w = 1; w < last; w++) {
			if (began[w] < ended[w - 1] - 1e6) {
				print "window " w " begins too early"
				bad = 1
			}
			for (i = 1; i <= n && !lacks[w] && ended[w] / 1000 < until; i++) {
				part = ns[w, all[i]] / (ended[w] - began[w])
				if (part > 1.02 || part < 0.9) {
					printf "window %d of thread %d: %.2f of its time\n",
						w, all[i], part
					bad = 1
				}
			}
		}
		exit bad
	}' "$scratch/w.100" || exit 1
expect 'windows' "$(windows_of w.0)" -eq 1
expect 'windows' "$(windows_of w.100)" -ge 6

# The same for ticks of CPU time.
record w.cpu 1 300 burn=600 || exit 1
all=$(of w.cpu 1 weight)
cpu=$(cpu_of '')
expect 'CPU ns' "$all" -ge $((cpu * 85 / 100))
expect 'CPU ns' "$all" -le $((cpu * 115 / 100))
known="tid == $pid"
for tid in $(tids); do
	known="$known || tid == $tid"
	expect "windows with $tid in burn" "$(awk -v tid="$tid" '
		$1 == "cell" && $4 == tid && /;burn;/ && !seen[$2]++ { n++ }
		END { print n + 0 }' "$scratch/w.cpu")" -ge 3
done
expect 'samples of other threads' "$(of w.cpu "!($known)" samples)" -eq 0
