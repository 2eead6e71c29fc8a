# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for pauses.
# ttop's longest pause and longest safepoint are those of the JVM's own log, with
# collectors that count their pauses and with others. Without the probe, several
# pauses between two reports leave a bound.  COLLECTORS='Serial Parallel Z' runs others.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/gc.sh

# top ARGUMENT…: three reports as JSON, and the recorded samples
top() {
	rm -f "$scratch/samples"
	timeout 100 "$sjkc" ttop "$pid" --json --iterations 3 -ri 1500ms \
		--record "$scratch/samples" "$@" >"$gc_out" 2>"$gc_err" && return
	cat "$gc_err"
	return 1
}

equal() {
	python3 tests/root/lib/longest_truth.py "$gc_log" "$gc_out" \
		"$scratch/samples"
}

bounded() {
	grep -q '"safepoint_longest_is_lower_bound":true' "$gc_out" && return
	echo 'no lower bound without a probe:'
	grep -o '"safepoint_longest[^,]*,' "$gc_out"
	return 1
}

for jdk in $(jdks); do
	for collector in ${COLLECTORS-G1 Shenandoah}; do
		gc_target "$jdk" $collector -- live=6000 rate=300 full=400 \
			dumps=70 && top && equal || exit 1
		top --no-uprobes && bounded || exit 1
		target_end "$pid"
	done
done
