# SPDX-License-Identifier: Apache-2.0
# Each JDK: classes are changed by other code of each JVM.
# Begins early: waits for the program.
# sjkc probe: counts, exceptions and times equal the program's own account, with
# its slow calls, arguments and stack traces, whose lines are those of Java.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/probe.sh

# misses_are_explained: near misses, refusals, and the limit
misses_are_explained() {
	for miss in "Ordrs.submit 'Calls\$Orders'" "Orders.submti 'submit'"; do
		! "$sjkc" probe "$pid" -d 1s "${miss% *}" 2>"$scratch/err" &&
			grep -q "did you mean ${miss#* }" "$scratch/err" ||
			{ cat "$scratch/err"; return 1; }
	done
	"$sjkc" probe "$pid" --list '+Calls$Handler.handle' \
		>"$scratch/out" 2>&1 || return
	grep -q 'Calls$Second.handle(long)' "$scratch/out" &&
		grep -q 'Calls$Handler.handle(long).*refused: it is abstract' \
			"$scratch/out" &&
		grep -q 'expect a pause' "$scratch/out" ||
		{ cat "$scratch/out"; return 1; }
	"$sjkc" probe "$pid" -d 1s 'Calls$Handler.handle' 2>"$scratch/err"
	[ $? -ne 0 ] && grep -q 'not instrumented: it is abstract' "$scratch/err" &&
		! grep -q 'expect a pause' "$scratch/err" ||
		{ cat "$scratch/err"; return 1; }
	# The table lacks these, so even --quiet prints them.
	"$sjkc" probe "$pid" -q --csv -d 10ms Orders.submit Orders.nope \
		'Calls$Handler.handle' java.lang.String.hashCode \
		>"$scratch/out" 2>"$scratch/err" &&
		grep -q "no method .* matches 'Orders.nope'" "$scratch/err" &&
		grep -q 'not instrumented: it is abstract' "$scratch/err" &&
		grep -q 'skipped methods of the JDK: 1;' "$scratch/err" &&
		[ "$(wc -l <"$scratch/err")" -eq 3 ] ||
		{ cat "$scratch/err"; return 1; }
	"$sjkc" probe "$pid" --max 3 -d 1s 'Orders.*' 2>"$scratch/err"
	[ $? -eq 1 ] && grep -q 'raise --max' "$scratch/err" ||
		{ cat "$scratch/err"; return 1; }
	"$sjkc" probe "$pid" -d 1s java.lang.String.hashCode 2>"$scratch/err"
	[ $? -eq 3 ] && grep -q 'use --system' "$scratch/err" ||
		{ cat "$scratch/err"; return 1; }
}

# calls_are_counted: the same without times
calls_are_counted() {
	probe_start --csv --count 'Calls$Orders.*' '+Calls$Handler.handle' ||
		return
	probe_finish || return
	probe_account >"$scratch/wanted"
	probe_counts "$scratch/out" >"$scratch/got"
	diff "$scratch/wanted" "$scratch/got" || { echo 'counts differ'; return 1; }
}

for jdk in $(jdks); do
	target "$jdk" -- go="$scratch/go" calls=5000 || exit 1
	for part in misses_are_explained counts_are_equal calls_are_counted \
		calls_are_reported; do
		"$part" || { echo "$jdk: $part"; exit 1; }
	done
	target_end "$pid"
done
