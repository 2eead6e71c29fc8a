# SPDX-License-Identifier: Apache-2.0
# Heap histograms of each JDK, for classes with and without a module, and with
# --live, --dead, --young and --dead-young.
sjkc=$1 scratch=$2
. tests/jvm/lib/target.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }

# instances FILE CLASS: prints the number of instances in a table of sjkc or
# jcmd
instances() { awk -v class="$2" '$4 == class { print $2 }' "$1"; }

bad() { echo "$jdk: $1"; cat "$scratch/hh" "$scratch/said"; exit 1; }

for jdk in $(jdks); do
	target "$jdk" -- threads=7 || exit 1
	# The first histogram makes the JVM load classes.
	"$jdk/bin/jcmd" "$pid" GC.class_histogram >/dev/null || exit 1
	"$jdk/bin/jcmd" "$pid" GC.class_histogram -all >"$scratch/jcmd" || exit 1
	"$sjkc" hh "$pid" >"$scratch/hh" 2>"$scratch/said" || bad "failed"
	[ ! -s "$scratch/said" ] || bad "said something"
	for class in java.lang.Class java.lang.Module java.lang.Thread \
		java.util.concurrent.CountDownLatch; do
		wanted=$(instances "$scratch/jcmd" $class)
		got=$(instances "$scratch/hh" $class)
		if [ -z "$wanted" ] || [ "$wanted" != "$got" ]; then
			bad "$class: $got instead of $wanted"
		fi
	done
	# sjkc announces the full GC of --live.
	"$sjkc" hh -p "$pid" --live --json >"$scratch/live" 2>"$scratch/said" ||
		bad "--live failed"
	grep -q 'full GC' "$scratch/said" || bad "no warning"
	grep -q '"schema":"sjkc.histogram/1"' "$scratch/live" || bad "no JSON"
	"$sjkc" hh "$pid" --dead -q -n 3 >"$scratch/hh" 2>"$scratch/said" ||
		bad "--dead failed"
	grep -q ' Total$' "$scratch/hh" || bad "no total"
	"$sjkc" hh "$pid" --dead --live >"$scratch/hh" 2>&1
	[ $? = 2 ] || bad "--dead --live is no misuse"
	# The differences add up to the difference of the totals.
	"$sjkc" hh "$pid" --diff "$scratch/live" --live --json -q \
		>"$scratch/hh" 2>"$scratch/said" || bad "--diff failed"
	python3 - "$scratch/live" "$scratch/hh" <<-'END' || bad "--diff differs"
		import json, sys
		before, changes = (json.load(open(f)) for f in sys.argv[1:])
		assert changes["schema"] == "sjkc.histogram-diff/1"
		total = changes["total"]
		assert total["bytes_before"] == before["total"]["bytes"]
		old = {(c["name"], c["module"]): c for c in before["classes"]}
		assert changes["classes"], "nothing changed"
		for c in changes["classes"]:
		    was = old.get((c["name"], c["module"]), {})
		    assert c["bytes_before"] == was.get("bytes", 0), c
		assert sum(c["bytes"] - c["bytes_before"] for c in changes["classes"]) \
		    == total["bytes"] - total["bytes_before"]
	END
	"$sjkc" hh "$pid" --watch 1s --iterations 2 -q >"$scratch/hh" \
		2>"$scratch/said" || bad "--watch failed"
	[ "$(grep -c ', changes in ' "$scratch/hh")" -eq 2 ] ||
		bad "--watch prints no two changes"
	for which in --young --dead-young; do
		"$sjkc" hh "$pid" $which -d 10ms >"$scratch/hh" \
			2>"$scratch/said" || bad "$which failed"
		grep -q 'waiting 10 ms for new objects' "$scratch/said" ||
			bad "$which does not say for how long"
	done
	target_end "$pid"
done

# The histograms of some collectors never include garbage, and Epsilon never
# collects.  sjkc refuses options whose histogram would always be empty.
has_collector() {
	"$1/bin/java" -XX:+UnlockExperimentalVMOptions "-XX:+Use${2}GC" \
		-version >/dev/null 2>&1
}

# refused OPTION TEXT: hh OPTION exits with 8 and prints TEXT
refused() {
	"$sjkc" hh "$pid" "$1" >"$scratch/hh" 2>"$scratch/said"
	{ [ $? = 8 ] && [ ! -s "$scratch/hh" ] &&
		grep -q -- "$2" "$scratch/said"; } || bad "$1 is not refused"
}

for collector in Z Shenandoah Epsilon; do
	for jdk in $(jdks); do
		has_collector "$jdk" $collector || continue
		target_memory="-Xmx64m -XX:+UnlockExperimentalVMOptions
			-XX:+Use${collector}GC"
		target "$jdk" -- threads=1 || exit 1
		case $collector in
		Epsilon) refused --live 'Epsilon never collects garbage' ;;
		*)
			"$sjkc" hh "$pid" >"$scratch/hh" 2>"$scratch/said" ||
				bad failed
			grep -q 'counts reachable objects only: garbage is not' \
				"$scratch/said" || bad 'no note'
			"$sjkc" hh "$pid" --live -q >"$scratch/hh" \
				2>"$scratch/said" || bad '--live failed'
			;;
		esac
		why='count reachable objects only\|never collects'
		refused --dead "$why"
		refused --dead-young "$why"
		"$sjkc" hh "$pid" --young -d 10ms -q >"$scratch/hh" \
			2>"$scratch/said" || bad '--young failed'
		target_end "$pid"
		break
	done
done
