# SPDX-License-Identifier: Apache-2.0
# Only in check-all: it needs half a minute of a quiet machine.
# prof writes thirty short windows while threads sleep throughout, the clock is set by an
# hour, JVMs start and are killed, and the ring buffer is full for a while.  Each other
# window has exactly the waits that the program itself measured; no window has more time
# of a thread than it lasts.
sjkc=$1
scratch=$2
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

now() {
	python3 -c 'import time; print(time.monotonic())'
}

jdk=$(jdks | head -n 1)
target_program=Waiting
target "$jdk" -- 40 "$scratch/storm" || exit 1
waiting=$pid account=$said
mkdir "$scratch/dir"
echo 0 >"$scratch/jump"
LD_PRELOAD=$(realpath "$TOOLS/../../tools/clock_jump.so") || exit 1
CLOCK_JUMP=$scratch/jump
export LD_PRELOAD CLOCK_JUMP
prof_start --all --agent -e offcpu,lock --interval 1s -d 32s -o "$scratch/dir/" || exit 1
unset LD_PRELOAD CLOCK_JUMP
target_program=Target
for jump in 3600 0 -3600 0; do
	target "$jdk" -- burners=1 blocked=20 || exit 1
	sleep 2
	echo $jump >"$scratch/jump.new" && mv "$scratch/jump.new" "$scratch/jump"
	target_end "$pid"
	sleep 2
done
# prof does not read while threads wait often.
lost=$(now)
kill -STOP "$prof_pid"
touch "$scratch/storm"
sleep 3
kill -CONT "$prof_pid"
lost=$lost-$(now)
wait "$prof_job"
status=$?
grep -q 'samples lost: ' "$prof_err" && [ $status -eq 7 ] ||
	{ echo "exit status $status, nothing was lost"; cat "$prof_err"; exit 1; }
target_wait "$account" DONE || exit 1
omitted=$(sed -n 's/.*waits omitted: \([0-9]*\) (the kernel did not .*/\1/p' "$prof_err" |
	awk '{ n += $1 } END { print n + 0 }')
PYTHONPATH=tests/tools python3 tests/root/lib/window_waits.py 15 "$account" "$lost" \
	"$omitted" "$scratch"/dir/*.gz >"$scratch/windows" 2>"$scratch/windows.err" ||
	{ cat "$scratch/windows.err" "$prof_err"; exit 1; }
