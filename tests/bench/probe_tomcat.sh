#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/probe_tomcat.sh SJKC [JDK]
#
# Probes all methods of Tomcat (Debian's libtomcat10-embed-java) while it serves
# requests, and compares: the responses before, meanwhile and afterwards must be
# the same, with the stack traces on error pages.  Prints the time of a round of
# 300 requests in each part, and the calls of the servlet, which has 100 errors in
# two rounds.
set -u
cd "$(dirname "$0")/../.." || exit 2
sjkc=$(realpath "$1")
scratch=$(mktemp -d)
. tests/jvm/lib/target.sh
. tests/jvm/lib/probe.sh
trap 'target_end_all; rm -rf "$scratch"' EXIT

(cd "$scratch" && apt-get download -qq libtomcat10-embed-java libtomcat10-java \
	2>"$scratch/log") ||
	{ echo 'probe_tomcat: no packages libtomcat10-embed-java, libtomcat10-java'
	exit; }
for package in "$scratch"/*.deb; do
	dpkg-deb -x "$package" "$scratch/tomcat" || exit
done
core=$(find "$scratch/tomcat" -name 'tomcat*embed-core.jar' | head -n 1)
core=$core:$(find "$scratch/tomcat" -type f -name '*annotations-api*.jar' | head -n 1)

# rounds NAME: waits for two rounds, and prints their mean time
rounds() {
	from=$(grep -c '^ROUND' "$said")
	begin=$(date +%s%N)
	for _ in $(seq 1 2400); do
		[ "$(grep -c '^ROUND' "$said")" -lt $((from + 2)) ] || break
		sleep 0.05
	done
	echo "  $1: $((($(date +%s%N) - begin) / 2000000)) ms a round"
}

for jdk in ${2-$(all_jdks)}; do
	"$jdk/bin/javac" -nowarn -cp "$core" -d "$scratch" \
		tests/bench/TomcatLoad.java || exit
	said=$scratch/said
	env --default-signal=QUIT,INT "$jdk/bin/java" -Xmx128m -Xverify:all \
		-cp "$scratch:$core" TomcatLoad "$scratch" </dev/null \
		>"$said" 2>&1 &
	pid=$!
	target_pids="$target_pids $pid"
	target_wait "$said" READY || exit
	echo "$(basename "$jdk"):"
	rounds before
	probe_start --csv --max 16384 -n 0 'org.apache.*.*' 'TomcatLoad$*.*' \
		'TomcatLoad.round' || exit
	grep -E 'armed|stopped' "$scratch/err" | sed 's/^sjkc/  sjkc/'
	rounds armed
	kill -INT "$probing"
	wait "$probing" || cat "$scratch/err"
	rounds 'taken back'
	# A round may differ while classes are changed: the JVM prints "Unknown
	# Source" for an exception that was thrown before the change.
	grep ROUND "$said" | uniq -c |
		sed 's/^ *\([0-9]*\) ROUND \(.......\).* \([0-9]*\)$/  \1 rounds \2 of \3 requests/'
	/usr/bin/python3 - "$scratch/out" <<-'END'
		import csv, sys
		rows = list(csv.DictReader(open(sys.argv[1])))
		called = [r for r in rows if int(r["calls"])]
		print(f"  {len(rows)} methods armed, {len(called)} called")
		for r in called:
		    if r["class"].startswith("TomcatLoad"):
		        print(f"  {r['class']}.{r['method']}: {r['calls']} calls, {r['errors']} errors")
	END
	target_end "$pid"
done
