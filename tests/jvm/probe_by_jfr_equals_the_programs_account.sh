# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for recordings.
# sjkc probe --jfr: counts equal the program's own account, times are within the
# times that the program measured around the calls, and nothing stays behind.
# Classes whose loader does not find JFR's classes are refused and not harmed.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/jdk.sh
. tests/jvm/lib/probe.sh
jdk=$(jdk_installed 25 || jdk_installed 26) ||
	{ echo 'no JDK with jdk.MethodTiming'; exit 77; }
faults=$(realpath "${TOOLS:-build/cc/tests/jvm/lib}/../../tools/faults.so")

# nothing_is_left TEXT: waits until no recording runs, and fails if a file is left
nothing_is_left() {
	for _ in $(seq 1 300); do
		"$sjkc" jcmd "$pid" JFR.check >"$scratch/check" 2>&1
		grep -q 'sjkc-probe' "$scratch/check" ||
			ls "$directory" | grep -q sjkc || return 0
		sleep 0.1
	done
	echo "$1:"
	cat "$scratch/check"
	ls "$directory"
	return 1
}

target "$jdk" -- go="$scratch/go" || exit 1
probe_start --jfr --csv -v 'Calls$Orders.*' '+Handler.handle' || exit 1
probe_finish || exit 1
probe_account >"$scratch/wanted"
probe_counts "$scratch/out" >"$scratch/got"
[ -s "$scratch/wanted" ] || { echo 'the program printed no account'; exit 1; }
diff "$scratch/wanted" "$scratch/got" || { echo 'counts differ'; exit 1; }

# The five calls that sleep for 60 ms are slow calls; the others are not.
/usr/bin/python3 - "$scratch/out" "$scratch/account" <<-'END' || exit 1
	import csv, re, sys
	rows = {r["method"]: r for r in csv.DictReader(open(sys.argv[1]))}
	whole = int(re.search(r"SLOW (\d+)", open(sys.argv[2]).read()).group(1))
	slow = rows["slow"]
	sum_ns = int(slow["average_ns"]) * int(slow["calls"])
	if not 5 * 60e6 <= sum_ns <= whole:
	    sys.exit(f"slow: {sum_ns} ns in all, {whole} ns by the program")
	if not 60e6 <= int(slow["max_ns"]) <= whole:
	    sys.exit(f"slow: a call of {slow['max_ns']} ns")
END
directory=$("$sjkc" jcmd "$pid" JFR.configure |
	sed -n 's/^Repository path: //p')
[ -d "$directory" ] || { echo "no directory '$directory'"; exit 1; }

probe_start --jfr --above 50ms -o "$scratch/slow.html" Orders.slow || exit 1
probe_finish || exit 1
grep -q 'jdk.MethodTrace of .*: 5 samples' "$scratch/out" &&
	grep -q 'Calls.slowly' "$scratch/out" &&
	grep -q '^note: calls that were running when .* not counted' \
		"$scratch/out" &&
	grep -q 'Calls$Orders.slow' "$scratch/slow.html" ||
	{ echo 'slow calls are missing:'; cat "$scratch/out"; exit 1; }

# A killed sjkc leaves no recording and no file, even if it is killed when the
# JVM has written the file.
probe_start --jfr Orders.submit || exit 1
kill -KILL "$probing"
wait "$probing" 2>/dev/null
nothing_is_left 'killed while armed' || exit 1
if [ -e "$faults" ]; then
	FAULT_UNLINK=1 LD_PRELOAD=$faults "$sjkc" probe "$pid" --jfr -d 10ms \
		Orders.submit >/dev/null 2>"$scratch/err"
	status=$?
	[ $status -eq 137 ] ||
		{ echo "not killed: $status"; cat "$scratch/err"; exit 1; }
	nothing_is_left 'killed before it removed the file' || exit 1
else
	echo '# SKIP no faults.so: sjkc is not killed before it removes the file'
fi

# Near misses, and methods that there are not.
! "$sjkc" probe "$pid" --jfr -d 10ms Ordrs.submit 2>"$scratch/err" &&
	grep -q "did you mean 'Calls\$Orders'" "$scratch/err" ||
	{ cat "$scratch/err"; exit 1; }
"$sjkc" probe "$pid" --jfr -d 10ms Orders.nope 2>"$scratch/err"
status=$?
[ $status -eq 3 ] && grep -q 'Orders.nope' "$scratch/err" ||
	{ echo "no such method: $status"; cat "$scratch/err"; exit 1; }
target_end "$pid"

target_program=Delicate
target "$jdk" -- "$scratch/none" || exit 1
refused='is not instrumented: its class loader may not find the classes of JFR (Delicate$Loader)'
"$sjkc" probe "$pid" -q --jfr --csv -d 100ms 'Delicate$Deaf.step' \
	Delicate.start >"$scratch/out" 2>"$scratch/err" &&
	grep -qF "Delicate\$Deaf $refused" "$scratch/err" &&
	grep -qF "timed no method 'Delicate\$Deaf.step'" "$scratch/err" &&
	grep -q '^Delicate,start,' "$scratch/out" ||
	{ echo 'not refused:'; cat "$scratch/out" "$scratch/err"; exit 1; }
"$sjkc" probe "$pid" --jfr -d 100ms 'Delicate$Deaf.step' 2>"$scratch/err"
status=$?
[ $status -eq 5 ] && grep -q 'no method can be instrumented' "$scratch/err" ||
	{ echo "all refused: $status"; cat "$scratch/err"; exit 1; }
# A loader of the JVM may load it.
"$sjkc" probe "$pid" --jfr -d 100ms com.acme.shop.Basket.add \
	2>"$scratch/err"
status=$?
[ $status -eq 3 ] && grep -q 'Basket is not loaded' "$scratch/err" ||
	{ echo "not loaded: $status"; cat "$scratch/err"; exit 1; }
! grep HARMED "$said" || exit 1
target_end "$pid"
