# SPDX-License-Identifier: Apache-2.0
# Only in check-all: it takes 12 CPU seconds to fill a ring buffer.
# Begins early: waits until a ring buffer is full.
# Sleeping threads wake up while the ring buffer is full.  The length of their
# sleep is unknown, so prof counts them and does not report them as asleep all
# the time.  A thread that slept on is reported for all its time.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

# wakes: prints "TID NUMBER" for each thread of the collector, how often it slept
wakes() {
	awk '/^Name:/ { name = $0 }
		/^Pid:/ { tid = $2 }
		/^voluntary_ctxt_switches:/ && name ~ /GC Thread#/ {
			print tid, $2
		}' "/proc/$pid/task"/*/status
}

jdk=$(jdks | head -n 1)
wall=$scratch/wall.collapsed
target_memory='-Xmx64m -XX:+UseParallelGC -XX:ParallelGCThreads=24' \
	target "$jdk" -XX:-UseDynamicNumberOfGCThreads -- burners=4 threads=1 ||
	exit 1
prof_start --no-agent -e wall -F 9999 -d 15s -v -t -o "$wall" "$pid" &&
	target_wait "$prof_err" 'sampling Target' || exit 1
sleep 0.5
kill -STOP "$prof_pid"
# The samples of a tenth of that fill the ring buffer.
jvm_burns 1000 || exit 1
wakes >"$scratch/before"
timeout 300 "$jdk/bin/jcmd" "$pid" GC.run >"$scratch/jcmd" || exit 1
wakes >"$scratch/after"
kill -CONT "$prof_pid"
prof_end 7 && has "$prof_err" 'threads omitted: [0-9]+ .*samples were lost' ||
	exit 1
# A collection does not always wake all threads of the collector.
comm -13 "$scratch/before" "$scratch/after" | cut -d ' ' -f 1 >"$scratch/woken"
awk '
	FILENAME ~ /woken$/ { woken[$1] = 1; count++; next }
	/^.idle-0 / { all += $NF }
	/^.GC Thread#/ {
		tid = $0
		sub(/.* tid=/, "", tid)
		sub(/].*/, "", tid)
		if (tid in woken)
			gc[tid] += $NF
	}
	END {
		for (tid in gc)
			if (gc[tid] > most)
				most = gc[tid]
		printf "idle: %d ms, of %d woken threads %d ms at most\n",
			all / 1000000, count, most / 1000000
		exit !(all >= 14000000000 && count > 0 && most < 0.97 * all)
	}' "$scratch/woken" "$wall"
