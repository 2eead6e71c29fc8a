# SPDX-License-Identifier: Apache-2.0
# stcap records the threads of a JVM with their CPU time and allocation, rotates
# its files, and leaves readable files even if it is killed or the JVM ends.
sjkc=$1 scratch=$2
. tests/jvm/lib/target.sh
jdk=$(jdks | head -n 1)
[ -n "$jdk" ] || { echo 'no JDK'; exit 77; }

bad() { echo "$1"; head -n 20 "$scratch/out" "$scratch/err"; exit 1; }

# column NUMBER: prints a column of the row of the main thread
column() {
	"$sjkc" ssa -q -f "$scratch/all.std" --thread-info -tn main -co \
		--numeric -si COUNT CPU ALLOC S:RUNNABLE | sed -n 2p |
		cut -d, -f "$1"
}

target "$jdk" -- threads=5 || exit 1
"$sjkc" stcap -p "$pid" -o "$scratch/all.std" -i 20ms -t 1m -l 100 \
	>"$scratch/out" 2>"$scratch/err" || bad 'stcap failed'
[ "$(column 1)" -ge 3 ] || bad 'too few samples of main'
[ -n "$(column 2)" ] && [ -n "$(column 3)" ] || bad 'no CPU or allocation'
"$sjkc" dexp -q -f "$scratch/all.std" --tags >"$scratch/out" || bad 'no tags'
for key in java.cpu-time.ms java.cpu-time.user.ms java.allocated.bytes \
	java.wait-count java.blocked-count thread.javaState; do
	grep -q "@$key " "$scratch/out" || bad "no $key"
done
# The same frames as in a thread dump of the JVM.
"$sjkc" ssa -q -f "$scratch/all.std" --print -tn main >"$scratch/out"
frame=$("$sjkc" jstack "$pid" | grep -A 2 '^"main"' |
	sed -n 's/.*at \([^(]*\)(.*/\1/p')
grep -qF "$frame(" "$scratch/out" || bad "no $frame in main"

"$sjkc" stcap "$pid" -o "$scratch/rot.std" -t 1m -l 120 -r 30 -q \
	>"$scratch/out" 2>"$scratch/err" || bad 'rotation failed'
for file in "$scratch/rot-00.std" "$scratch/rot-01.std"; do
	"$sjkc" ssa -f "$file" --histo >"$scratch/out" 2>"$scratch/err" ||
		bad "$file is incomplete"
done

# captured FILE: waits until a file has samples while it is being written.
captured() {
	for _ in $(seq 1 600); do
		"$sjkc" ssa -f "$1" --histo >"$scratch/out" 2>"$scratch/err"
		[ $? = 7 ] && grep -q 'Thread.run' "$scratch/out" && return
		sleep 0.1
	done
	bad "$1 has no samples"
}

"$sjkc" stcap "$pid" -o "$scratch/killed.std" -t 5m -i 20ms -q \
	2>"$scratch/log" &
recorder=$!
captured "$scratch/killed.std"
kill -KILL $recorder
wait $recorder
captured "$scratch/killed.std"

"$sjkc" stcap "$pid" -o "$scratch/ended.std" -t 5m -i 20ms -q \
	2>"$scratch/log" &
recorder=$!
captured "$scratch/ended.std"
target_end "$pid"
wait $recorder
[ $? = 7 ] || { cat "$scratch/log"; bad 'the end of the JVM is not partial'; }
"$sjkc" ssa -f "$scratch/ended.std" --histo >"$scratch/out" \
	2>"$scratch/err" || bad 'the file of an ended JVM is incomplete'
