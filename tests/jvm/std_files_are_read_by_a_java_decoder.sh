# SPDX-License-Identifier: Apache-2.0
# A Java program that shares no code with sjkc reads the .std files that sjkc
# writes: a copy of a file of SJK has the same events, in both versions, and
# stcap's files have the threads that it reported. SJK itself is in no package
# registry.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
jdk=$(jdks | head -n 1)
[ -n "$jdk" ] || { echo 'no JDK'; exit 77; }
dump=tests/data/std/busy17.std
decoder=$(target_compile "$jdk" StdDump) || exit 1

# decode FILE…: prints the events
decode() {
	"$jdk/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$decoder" \
		StdDump "$@" 2>"$scratch/err" || { cat "$scratch/err"; return 1; }
}

decode "$dump" >"$scratch/want" || exit 1
grep -q ': 2494 events' "$scratch/err" || { cat "$scratch/err"; exit 1; }
for version in V2 V4; do
	"$sjkc" stcpy -q -e --dump-version $version -i "$dump" \
		-o "$scratch/$version.std" || exit 1
	decode "$scratch/$version.std" >"$scratch/got" || exit 1
	cmp "$scratch/want" "$scratch/got" || {
		diff "$scratch/want" "$scratch/got" | head -n 10
		exit 1
	}
done

# Names that are not ASCII, and more columns and threads than a table has
target "$jdk" -- threads=20 hostile || exit 1
"$sjkc" stcap -p "$pid" -e -o "$scratch/live.std" -i 10ms -l 200 -t 5m \
	>"$scratch/said" 2>&1 || { cat "$scratch/said"; exit 1; }
decode "$scratch/live.std" >"$scratch/got" || exit 1
count=$(sed -n 's/.*recorded \([0-9]*\) stack traces.*/\1/p' "$scratch/said")
grep -q ": $count events" "$scratch/err" ||
	{ cat "$scratch/said" "$scratch/err"; exit 1; }
# Each event has a CPU time and the stack trace that sjkc reads.
[ "$(grep -c 'java.cpu-time.ms=' "$scratch/got")" = "$count" ] ||
	{ echo 'no CPU times'; head "$scratch/got"; exit 1; }
grep -v -e '^[0-9]' -e '^$' "$scratch/got" | sort | uniq -c >"$scratch/frames"
"$sjkc" ssa -q -f "$scratch/live.std" --print | grep -v -e '^Thread \[' -e '^$' |
	sort | uniq -c | cmp - "$scratch/frames"
