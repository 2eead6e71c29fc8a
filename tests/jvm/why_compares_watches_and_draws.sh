# SPDX-License-Identifier: Apache-2.0
# why compares two JVMs, prints what changes while it watches a JVM, and writes a page
# that has the causes, their numbers and the thread dump.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh

# printed TEXT FILE: fails unless a line matches
printed() {
	grep -q -- "$1" "$2" || { echo "no $1"; cat "$2"; return 1; }
}

jdk=$(jdks | head -n 1)
target "$jdk" -- threads=5 || exit 1
healthy=$pid
target "$jdk" -- deadlock=2 threads=3 || exit 1
broken=$pid

"$sjkc" why "$broken" --against "$broken" >"$scratch/same" 2>&1
[ $? -eq 2 ] && grep -q 'the same JVM' "$scratch/same" ||
	{ echo 'a JVM is compared with itself:'; cat "$scratch/same"; exit 1; }
timeout 60 "$sjkc" why "$broken" -d 2s --against "$healthy" --exit-code \
	>"$scratch/out" 2>&1
[ $? -eq 11 ] && printed "^the other: $healthy Target" "$scratch/out" &&
	printed '^1  BROKEN   deadlock of 2 threads' "$scratch/out" &&
	printed '^threads  *[0-9]* *[0-9]* *$' "$scratch/out" || exit 1

# The document of the same JVM has the same cause.
"$sjkc" why -q "$broken" -d 2s --json >"$scratch/before.json" &&
	"$sjkc" why -q "$broken" -d 2s --against "$scratch/before.json" \
		>"$scratch/out" 2>&1 &&
	printed '^both: deadlocks' "$scratch/out" || exit 1

"$sjkc" why -q "$broken" -d 2s -o "$scratch/why.html" &&
	printed '<span class="rank">BROKEN</span>deadlock of 2 threads' \
		"$scratch/why.html" &&
	printed 'deadlocked_threads' "$scratch/why.html" &&
	printed '&quot;deadlock-' "$scratch/why.html" || exit 1

# Once: the deadlock does not change before the JVM exits.
timeout 60 "$sjkc" why -q "$broken" -d 1s --watch >"$scratch/watched" 2>&1 &
watching=$!
sleep 4
target_end "$broken"
wait $watching || { echo "exit status $?"; cat "$scratch/watched"; exit 1; }
printed ' new:$' "$scratch/watched" &&
	[ "$(grep -c 'BROKEN   deadlock of 2' "$scratch/watched")" = 1 ] ||
	{ cat "$scratch/watched"; exit 1; }
