# SPDX-License-Identifier: Apache-2.0
# A call above its threshold is recorded with its thread, duration, exception,
# arguments and stack.  No code of the program runs for it, and the rate limits
# the records: those beyond it are counted.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/probes.sh
target_program=Probed

# run ARGUMENT…: arms methods, and lets the program make all its calls
run() {
	rm -f "$scratch/go"
	target "$jdk" -- "$scratch/go" 3000 || return
	probes_start "$@" arm line calls counts losses disarm || return
	probes_wait '^armed' || return
	touch "$scratch/go"
	target_wait "$said" '^DONE' || return
	probes_go
	probes_finish && alive "$pid" && target_end "$pid"
}

# shows COUNT TEXT: fails unless COUNT records match, without those that the
# agent counts as lost: a thread never waits for another one that writes
shows() {
	found=$(grep -cE "^call $2" "$scratch/probes")
	lost=$(sed -n 's/^lost \([0-9]*\) .*/\1/p' "$scratch/probes")
	[ "$found" -gt 0 ] && [ "$found" -le "$1" ] &&
		[ "$((found + lost))" -ge "$1" ] && return
	echo "$found records, not $1, match $2; $lost are lost:"
	grep '^call' "$scratch/probes" | head -n 5 | cut -c 1-300
	return 1
}

# The program calls it 8 times with these arguments, and sleeps 200 times.
arguments() {
	run Probed::named Probed::sleeper args above=0 rate=1000 stack=1 ||
		return
	shows 8 'Probed.named\(.*thrown - args "text"/4 1:3000 3:1 2.5 null 4:99 stack Probed.named:[0-9]* Probed.work:' &&
		shows 200 'Probed.sleeper\(.* stack Probed.sleeper:[0-9]* Probed.sleep:' &&
		shows 8 'Probed.named.* thread [^ ]+/[1-9]|^call Probed.named.* thread /[1-9]'
}

# Only the calls that sleep are longer than a millisecond, or a few others on a
# busy machine.
above() {
	run Probed::sleeper Probed::small above=1000000 rate=1000 || return
	shows 200 'Probed.sleeper\(\)V/1 ns [0-9]{7,} thread .* thrown - args stack$'
	! grep -qE '^call .* ns [0-9]{1,6} ' "$scratch/probes"
}

# 24,000 calls, of which each fifth throws: some records, and the rest skipped.
limited() {
	run Probed::thrower above=0 rate=20 || return
	records=$(grep -c '^call' "$scratch/probes")
	skipped=$(sed -n 's/.*calls 24000 .* skipped \([0-9]*\)$/\1/p' \
		"$scratch/probes")
	lost=$(sed -n 's/^lost \([0-9]*\) .*/\1/p' "$scratch/probes")
	[ "$((records + skipped + lost))" -eq 24000 ] && [ "$records" -ge 1 ] &&
		[ "$records" -lt 12000 ] && return
	echo "$records records and $skipped skipped calls"
	grep -E '^Probed|^lost' "$scratch/probes"
	return 1
}

check() {
	jdk=$1
	arguments && above && limited
}

for_each_jdk check
