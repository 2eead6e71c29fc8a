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
. tests/jvm/lib/spring.sh

spring_fetch 4.0.7 org.springframework.boot:spring-boot-starter-webmvc \
	io.opentelemetry.javaagent:opentelemetry-javaagent:2.33.1 \
	org.jolokia:jolokia-agent-jvm:2.6.0:javaagent

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

# load ROUNDS…: makes requests for /price, /fill, and twice /lock, and waits for
# the responses.  So none of them is between an account and a profile.
load() {
	python3 "$scratch/load.py" "$http_port" "$@" >"$scratch/load" 2>&1 &&
		return
	cat "$scratch/load"
	return 1
}

# during PID FILE: loads the application when the file says that PID measures, and
# ends PID
during() {
	perl "$target_await" line 'press Ctrl-C' "$2" "$1" || { cat "$2"; return 1; }
	account before && load 250 250 60 60 && account after
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
' "$scratch/out")" "$(increase 1)" 0
}

# pauses: the number of pauses in the JVM's log
pauses() { grep -c ' Pause ' "$scratch/gc.log"; }

collections() {
	load 0 1500 0 0 &
	loading=$!
	target_jobs="$target_jobs $loading"
	first=$(pauses)
	ask 0 gc "$pid" -d 5s --csv || return
	last=$(pauses)
	wait "$loading" || return
	listed=$(awk -F, 'NR > 1 { sum += $11 } END { print sum + 0 }' \
		"$scratch/out")
	[ "$listed" -ge 1 ] && [ "$listed" -le $((last - first + 1)) ] ||
		{ echo "gc lists $listed, the log $((last - first))"; return 1; }
}

set -- $(free_port 3)
http_port=$1 port=$2 jolokia=$3
jmx=-Dcom.sun.management.jmxremote
spring_target "$http_port" \
	"-javaagent:$(maven_jar opentelemetry-javaagent)" \
	-Dotel.traces.exporter=none -Dotel.metrics.exporter=none \
	-Dotel.logs.exporter=none -Xmx256m "-Xlog:gc:file=$scratch/gc.log" \
	"-javaagent:$(maven_jar jolokia-agent-jvm)=port=$jolokia,host=127.0.0.1" \
	$jmx.port="$port" $jmx.rmi.port="$port" $jmx.host=127.0.0.1 \
	$jmx.ssl=false $jmx.authenticate=false \
	-Djava.rmi.server.hostname=127.0.0.1 || exit 1

cat >"$scratch/load.py" <<-'END'
	import http.client, sys, threading, time
	errors = []
	def run(path, rounds):
	    c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
	    for _ in range(rounds):
	        try:
	            c.request("GET", path)
	            r = c.getresponse()
	            r.read()
	            if r.status != 200:
	                errors.append((path, r.status))
	        except OSError as e:
	            errors.append((path, e))
	            c.close()
	        time.sleep(0.005)
	threads = [threading.Thread(target=run, args=(p, int(n))) for p, n in
	           zip(("/price", "/fill", "/lock", "/lock"), sys.argv[2:])]
	for t in threads: t.start()
	for t in threads: t.join()
	if errors:
	    sys.exit(f"{len(errors)} errors: {errors[:3]}")
END
load 100 100 50 50 || exit 1

# About 1,700 samples of the CPU.
profile cpu 2 'Shop.price' 15 && profile alloc 3 'Shop.fill' 10 &&
	profile lock 4 'Shop.slowLock' 10 || exit 1
prof_start -e wall -o "$scratch/wall.collapsed" "$pid" &&
	during "$prof_pid" "$prof_err" && prof_end 0 &&
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
alive "$pid"
