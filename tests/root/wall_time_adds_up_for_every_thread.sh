# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for samples.
# prof -e wall reports the whole duration for a burning thread and for sleeping
# threads, which use no CPU time; the frames of the JVM and the kernel show
# where they sleep.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

# ms_of THREAD: prints the thread's time in the last run
ms_of() {
	awk -v thread="^\\\\[$1 tid=" '
		$0 ~ thread { all += $NF }
		END { printf "%d\n", all / 1000000 }' "$wall"
}

wall=$scratch/wall.collapsed
for jdk in $(jdks); do
	target "$jdk" -- burners=1 threads=2 parked=1 || exit 1
	prof 0 -e wall -d 2s -t -o "$wall" "$pid" || exit 1
	for thread in burner-0 idle-0 idle-1 parked-0 'Reference Handler' main; do
		ms=$(ms_of "$thread")
		{ [ "$ms" -ge 1800 ] && [ "$ms" -le 2600 ]; } || {
			echo "$thread: $ms ms of 2 s"
			exit 1
		}
	done
	at_least 99 "$(weight_of "$wall" \
		"\];$at_root.*;Target.sleep;java.lang.Thread.sleep.*futex" \
		'^.idle-0 ')" 'asleep' || exit 1
	# The C++ frames of this thread need more registers than /proc shows.
	has "$wall" "^.Attach Listener tid=[0-9]+\];$at_root.*;accept" || exit 1
	prof 0 -e offcpu -d 1s -t -o "$wall" "$pid" || exit 1
	has "$wall" '^.idle-0 .*;Target.sleep;' || exit 1
	! grep -qE 'bpf_|__schedule|\.(isra|constprop|part|cold)[.; ]' "$wall" || {
		grep -E 'bpf_|__schedule|\.(isra|constprop|part|cold)' "$wall"
		exit 1
	}
	target_end "$pid"
done
