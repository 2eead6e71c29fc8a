# SPDX-License-Identifier: Apache-2.0
# Each JDK: virtual threads are new in 21, and each JDK verifies otherwise.
# Counts, exceptions and durations of probes equal the program's own account,
# with recursion, exceptions, constructors, locks, on-stack replacement, huge
# methods and virtual threads, under verification of all classes.  There are more
# threads than stripes of counters.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/probes.sh
target_program=Probed

# account_differs FILE: prints each difference between the account and the counts
account_differs() {
	awk '
	FNR == NR {
		if ($1 == "ACCOUNT") { calls[$2] = $3; thrown[$2] = $4 }
		if ($1 == "MADE") { made = $2; whole = $3 }
		if ($1 == "NANOS") nanos[$2] = $3
		next
	}
	/ calls / {
		class = method = $1
		sub(/\(.*/, "", method)
		sub(/\.[^.]*$/, "", class)
		sub(/.*\./, "", method)
		if ($1 ~ /^Probed\$Made\.<init>/ &&
				($3 != whole || $5 != made))
			print "constructor:", $0, "not", whole, made
		if (!(method in calls)) next
		seen[method] = 1
		if ($3 != calls[method] || $7 != thrown[method])
			print $0, "not", calls[method], thrown[method]
		# Each call takes at least the 2 ms that it sleeps.
		if (method in nanos && ($9 > nanos[method] ||
				$9 < 2000000 * calls[method] ||
				$11 < $9 / calls[method]))
			print $0, "not", nanos[method]
	}
	END {
		for (m in calls) if (!(m in seen)) print "no count of", m
	}' "$said" "$1"
}

# kinds_are METHOD CLASS COUNT: fails unless exceptions of this class and those
# whose class was not recorded, because two threads met a class for the first
# time, are COUNT.
kinds_are() {
	awk -v method="^Probed[.]$1[(]" -v class="$2" -v count="$3" '
	$1 ~ method && NF == 3 && ($2 == class || $2 == "others") {
		sum += $3
		known += $2 == class
	}
	END { exit !(known == 1 && sum == count) }' "$scratch/probes" && return
	echo "$1 has not $3 exceptions $2:"
	grep "^Probed[.]$1(" "$scratch/probes"
	return 1
}

check() {
	target_memory='-Xmx64m -Xverify:all'
	target "$1" -- "$scratch/go" 6000 12 || return
	probes_start 'Probed*::*' arm line calls counts kinds losses disarm || return
	probes_wait '^armed' || return
	touch "$scratch/go"
	target_wait "$said" '^DONE' || return
	probes_go
	probes_finish || return
	rm "$scratch/go"
	difference=$(account_differs "$scratch/probes")
	[ -z "$difference" ] || { echo "$difference"; return 1; }
	kinds_are thrower java.lang.IllegalStateException 28800 &&
		kinds_are other java.lang.UnsupportedOperationException 36000 ||
		return
	grep -q '^lost 0 skipped 0 kinds [0-9]* redefined 0 stale 0' \
		"$scratch/probes" || { grep '^lost' "$scratch/probes"; return 1; }
	probes_left_nothing && alive "$pid"
	target_end "$pid"
}

for_each_jdk check
