# SPDX-License-Identifier: Apache-2.0
# With --probability, the name of the node chooses the minutes in which prof samples.
# In the other minutes there are no samples, and the time is printed.  If the clock is
# set, the minutes are those of the new time at once.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

target "$(jdks | head -n 1)" -Dtarget.duty=25 -- burners=1 || exit 1
engine_start || exit 1

# node HITS EARLIER COUNT: prints the name of a node that samples, or not, in this minute
# and the next ones, COUNT in all, with 50 %, and likewise an hour earlier; the hash is
# written again here
node() {
	python3 - "$@" <<-'END'
		import sys, time
		mask = (1 << 64) - 1
		def hits(node, minute):
		    value = 0xcbf29ce484222325
		    for byte in f"{node}:{minute}".encode():
		        value = (value ^ byte) * 0x100000001b3 & mask
		    value = (value ^ value >> 32) * 0x9e3779b97f4a7c15 & mask
		    value = (value ^ value >> 29) * 0xd6e8feb86659fd93 & mask
		    return (value ^ value >> 32) >> 11 < 1 << 52
		now = int(time.time()) // 60
		names = (f"node-{i}" for i in range(1000000))
		wanted = {now: sys.argv[1], now - 60: sys.argv[2]}
		print(next(name for name in names if all(
		    hits(name, first + i) == (word == "1")
		    for first, word in wanted.items() for i in range(int(sys.argv[3])))))
	END
}

# sample HITS: runs prof for three seconds, and sets $later and $paused: the samples of
# all intervals but the first, and the printed time
sample() {
	rm -f "$engine"/*.txt
	NODE_NAME=$(node "$1" "$1" 3) prof 0 -p "$pid" -F 399 -d 3s --interval 1s \
		--probability 50% --push "http://127.0.0.1:$engine_port" \
		--shutdown-timeout 60s || return 1
	engine_accepts || return 1
	paused=$(sed -n 's/.*not sampled by --probability: \([0-9]*\) s$/\1/p' "$prof_err")
	[ -n "$paused" ] || { cat "$prof_err"; return 1; }
	first=$(find "$engine" -name '*.txt' | sort -V | head -n 1)
	rm -f "$first"
	later=$(engine_samples)
}

sample 1 || exit 1
[ "$paused" -eq 0 ] && [ "$later" -gt 3 ] ||
	{ echo "sampled: $later samples later, $paused s paused"; exit 1; }
sample 0 || exit 1
# The sampling begins before the first minute is looked at, and ends with an interval.
[ "$paused" -ge 2 ] && [ "$later" -le 3 ] ||
	{ echo "paused: $later samples later, $paused s paused"; exit 1; }

# The clock is set back by an hour, and right again.
rm -f "$engine"/*.txt "$engine/times"
echo 0 >"$scratch/jump"
NODE_NAME=$(node 1 0 7)
LD_PRELOAD=$(realpath "$TOOLS/../../tools/clock_jump.so") || exit 1
CLOCK_JUMP=$scratch/jump
export NODE_NAME LD_PRELOAD CLOCK_JUMP
prof_start -v -p "$pid" -F 49 --interval 1s --probability 50% \
	--push "http://127.0.0.1:$engine_port" --shutdown-timeout 60s || exit 1
unset LD_PRELOAD
target_wait "$engine/times" . || exit 1
echo -3600 >"$scratch/jump"
target_wait "$prof_err" ': not sampling in this minute' || exit 1
echo 0 >"$scratch/jump"
target_wait "$prof_err" ': sampling in this minute' || exit 1
rm -f "$engine/times"
target_wait "$engine/times" . || exit 1
kill -TERM "$prof_pid"
prof_end 0 || exit 1
engine_accepts && engine_agrees "$prof_err" || exit 1

prof 2 -p "$pid" -e cpu,offcpu --probability 50% --push http://127.0.0.1:1 &&
	has "$prof_err" '--probability requires -e cpu' || exit 1
prof 2 -p "$pid" --probability 101% --push http://127.0.0.1:1 &&
	has "$prof_err" '--probability must be at most 100%' || exit 1
