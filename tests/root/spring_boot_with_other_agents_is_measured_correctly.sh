# SPDX-License-Identifier: Apache-2.0
# Only in check-all: starts Spring Boot with two agents and loads it for minutes.
# Newest JDK: Spring Boot 4 requires JDK 17.
# Spring Boot 4.0.7 with the OpenTelemetry Java agent 2.33.1 and the Jolokia
# agent 2.6.0, under load: the values of sjkc agree with the application's own
# account (ThreadMXBean, allocated bytes, waited time, calls) and with -Xlog:gc.
# No request fails meanwhile.
sjkc=$(realpath "$1") scratch=$(realpath "$2")
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/probe.sh
. tests/jvm/lib/jmx.sh
. tests/root/lib/prof.sh
unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY

cat >"$scratch/pom.xml" <<-'END'
	<project xmlns="http://maven.apache.org/POM/4.0.0">
	<modelVersion>4.0.0</modelVersion>
	<parent><groupId>org.springframework.boot</groupId>
	<artifactId>spring-boot-starter-parent</artifactId>
	<version>4.0.7</version></parent>
	<groupId>test</groupId><artifactId>shop</artifactId><version>1</version>
	<dependencies>
	<dependency><groupId>org.springframework.boot</groupId>
	<artifactId>spring-boot-starter-webmvc</artifactId></dependency>
	<dependency><groupId>io.opentelemetry.javaagent</groupId>
	<artifactId>opentelemetry-javaagent</artifactId>
	<version>2.33.1</version></dependency>
	<dependency><groupId>org.jolokia</groupId>
	<artifactId>jolokia-agent-jvm</artifactId><version>2.6.0</version>
	<classifier>javaagent</classifier></dependency>
	</dependencies>
	</project>
END
(cd "$scratch" && timeout 300 mvn -q -B dependency:build-classpath \
	-Dmdep.outputFile=classpath >maven 2>&1) ||
	{ echo 'Maven cannot fetch Spring Boot 4.0.7'; exit 77; }
jars=$(cat "$scratch/classpath")
jar_of() { echo "$jars" | tr : '\n' | grep "/$1-[0-9]"; }

# account FILE: the calls, CPU time, bytes, waited time and time of the program
account() { curl -sSf "http://127.0.0.1:$http_port/account" >"$scratch/$1"; }

# increase FIELD: the increase of a field of the account
increase() {
	awk -v f="$1" '{ now = $f } NR == 1 { v = now }
		END { printf "%.0f\n", now - v }' "$scratch/before" "$scratch/after"
}

# near WHAT OURS THEIRS PERCENT: fails if the sums differ by more than PERCENT
near() {
	echo "# $1: sjkc $2, the program $3" >&2
	awk -v o="$2" -v t="$3" -v p="$4" 'BEGIN {
		exit !(t > 0 && (o - t) ^ 2 <= (p / 100 * t) ^ 2) }' && return
	echo "$1: sjkc $2, the program $3"
	return 1
}

# during PID FILE: reads the account when the file says that PID measures, and
# five seconds later, when it ends PID
during() {
	perl "$target_await" line 'press Ctrl-C' "$2" "$1" || { cat "$2"; return 1; }
	account before && sleep 5 && account after
	accounted=$?
	kill -INT "$1"
	return "$accounted"
}

# weight FILE FRAME: the weight of the stack traces with a frame
weight() {
	awk -v frame="$2" 'index($0, frame) { sum += $NF }
		END { printf "%.0f\n", sum }' "$1"
}

# profile EVENT FIELD FRAME PERCENT: compares an event with a field of the account
profile() {
	prof_start -e "$1" -F 999 --total -o "$scratch/$1.collapsed" "$pid" &&
		during "$prof_pid" "$prof_err" || return
	prof_end 0 >/dev/null || { [ "$status" -eq 7 ] && prof_lacked_time; } ||
		{ cat "$prof_err"; return 1; }
	near "$1" "$(weight "$scratch/$1.collapsed" "$3")" "$(increase "$2")" \
		"$4"
}

# calls_of: compares the calls that probe counted
calls_of() {
	probe_start --csv Shop.price && during "$probing" "$scratch/err" &&
		wait "$probing" || return
	! grep -q discards "$scratch/err" ||
		{ echo 'the agent at the start keeps the code'; return 1; }
	near calls "$(python3 -c '
import csv, sys
print(sum(int(r["calls"]) for r in csv.DictReader(open(sys.argv[1]))))
' "$scratch/out")" "$(increase 1)" 5
}

# pauses: the number of pauses in the JVM's log
pauses() { grep -c ' Pause ' "$scratch/gc.log"; }

collections() {
	first=$(pauses)
	ask 0 gc "$pid" -d 5s --csv || return
	last=$(pauses)
	listed=$(awk -F, 'NR > 1 { sum += $11 } END { print sum + 0 }' \
		"$scratch/out")
	[ "$listed" -ge 1 ] && [ "$listed" -le $((last - first + 1)) ] ||
		{ echo "gc lists $listed, the log $((last - first))"; return 1; }
}

jdk=$(jdks | tail -n 1)
set -- $(free_port 3)
http_port=$1 port=$2 jolokia=$3
jmx=-Dcom.sun.management.jmxremote
target_program=Shop compile_for="-cp $jars -parameters" target "$jdk" -cp \
	"$(target_compile "$jdk" Shop -cp "$jars" -parameters):$jars" \
	"-javaagent:$(jar_of opentelemetry-javaagent)" \
	-Dotel.traces.exporter=none -Dotel.metrics.exporter=none \
	-Dotel.logs.exporter=none -Xmx256m "-Xlog:gc:file=$scratch/gc.log" \
	"-javaagent:$(jar_of jolokia-agent-jvm)=port=$jolokia,host=127.0.0.1" \
	$jmx.port="$port" $jmx.rmi.port="$port" $jmx.host=127.0.0.1 \
	$jmx.ssl=false $jmx.authenticate=false \
	-Djava.rmi.server.hostname=127.0.0.1 \
	-Dserver.port="$http_port" -Dserver.address=127.0.0.1 -- || exit 1

cat >"$scratch/load.py" <<-'END'
	import http.client, signal, sys, threading, time
	counts, errors, ended = [0], [], threading.Event()
	signal.signal(signal.SIGTERM, lambda *a: ended.set())
	signal.alarm(900)
	def run(paths):
	    c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
	    while not ended.is_set():
	        for path in paths:
	            try:
	                c.request("GET", path)
	                r = c.getresponse()
	                r.read()
	                if r.status != 200:
	                    errors.append((path, r.status))
	                counts[0] += 1
	            except OSError as e:
	                errors.append((path, e))
	                c.close()
	            time.sleep(0.01)
	threads = [threading.Thread(target=run, args=(p,)) for p in
	           (["/price"], ["/fill"], ["/lock"], ["/lock"])]
	for t in threads: t.start()
	while counts[0] < 400 and not ended.is_set(): time.sleep(0.1)
	print("LOADED", flush=True)
	for t in threads: t.join()
	print(counts[0], "requests,", len(errors), "errors", errors[:3], flush=True)
END
python3 "$scratch/load.py" "$http_port" >"$scratch/load" 2>&1 &
loading=$!
target_jobs="$target_jobs $loading"
target_wait "$scratch/load" LOADED "$loading" || exit 1

# About 700 samples; the time between the account and the signal.
profile cpu 2 'Shop.price' 15 && profile alloc 3 'Shop.fill' 10 &&
	profile lock 4 'Shop.slowLock' 10 || exit 1
prof 0 -e wall -d 5s -o "$scratch/wall.collapsed" "$pid" &&
	has "$scratch/wall.collapsed" 'Shop\.slowLock.*sleep' || exit 1
calls_of && calls_of && collections || exit 1
ask 0 ttop -p "$pid" -b --iterations 2 -ri 1s && printed http-nio &&
	ask 0 threads "$pid" && printed http-nio || exit 1
for way in "-s 127.0.0.1:$port" "-u http://127.0.0.1:$jolokia/jolokia/"; do
	# shellcheck disable=SC2086 # words
	ask 0 mx $way -b java.lang:type=Runtime --get -f StartTime -q &&
		cat "$scratch/out" >>"$scratch/starts" || exit 1
done
[ "$(sort -u "$scratch/starts" | wc -l)" -eq 1 ] ||
	{ echo 'RMI and Jolokia differ:'; cat "$scratch/starts"; exit 1; }
kill -TERM "$loading"
wait "$loading"
grep -q ' 0 errors' "$scratch/load" || { cat "$scratch/load"; exit 1; }
alive "$pid"
