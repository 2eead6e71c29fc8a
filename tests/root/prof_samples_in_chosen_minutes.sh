# SPDX-License-Identifier: Apache-2.0
# With --probability, the name of the node chooses the minutes in which prof samples.
# In the other minutes there are no samples, and the time is printed.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/root/lib/engine.sh

target "$(jdks | head -n 1)" -- burners=1 || exit 1
engine_start || exit 1

# node HITS: prints the name of a node that samples, or not, in this minute and the
# next two, with 50 %; the hash is written again here
node() {
	python3 - "$1" <<-'END'
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
		names = (f"node-{i}" for i in range(10000))
		print(next(name for name in names
		           if {hits(name, now + i) for i in range(3)} == {sys.argv[1] == "1"}))
	END
}

# sample HITS: runs prof for three seconds, and sets $samples and $paused
sample() {
	NODE_NAME=$(node "$1") prof 0 -p "$pid" -F 99 -d 3s --interval 1s \
		--probability 50% --push "http://127.0.0.1:$engine_port" \
		--shutdown-timeout 60s || return 1
	samples=$(sed -n 's/.*delivered \([0-9]*\) of \1 samples.*/\1/p' "$prof_err")
	paused=$(sed -n 's/.*not sampled by --probability: \([0-9]*\) s$/\1/p' "$prof_err")
	[ -n "$samples" ] && [ -n "$paused" ] || { cat "$prof_err"; return 1; }
}

sample 1 || exit 1
[ "$paused" -eq 0 ] && [ "$samples" -gt 50 ] ||
	{ echo "sampled: $samples samples, $paused s paused"; exit 1; }
most=$samples
sample 0 || exit 1
# The sampling begins before the first minute is looked at.
[ "$paused" -ge 2 ] && [ "$samples" -lt $((most / 4)) ] ||
	{ echo "paused: $samples samples of $most, $paused s paused"; exit 1; }
prof 2 -p "$pid" -e cpu,offcpu --probability 50% --push http://127.0.0.1:1 &&
	has "$prof_err" '--probability requires -e cpu' || exit 1
prof 2 -p "$pid" --probability 101% --push http://127.0.0.1:1 &&
	has "$prof_err" '--probability must be at most 100%' || exit 1
