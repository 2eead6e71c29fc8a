# SPDX-License-Identifier: Apache-2.0
# Only in check-all: runs 30 services for half a minute each.
# Each JDK: a fault looks different on each.
# why names the fault of a service as its first or second cause, and finds no cause
# for services that are healthy.  INCIDENTS selects some by name, SECONDS_OBSERVED
# sets the duration.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh

# name|rule|JVM options|seconds before|argument
incidents='
regex|place|||
deadlock|deadlock|||
convoy|convoy|||
downstream|pool|||
permits|pool|||
leak|old|-Xmx160m -XX:+UseG1GC|31|
loaders|classes||31|
direct|native|-Xmx128m|31|
deflater|native|-Xmx128m|31|
thrash|collections|-Xmx64m -XX:+UseG1GC||
humongous|humongous|-Xmx256m -XX:+UseG1GC -XX:G1HeapRegionSize=1m||
safepoint|safepoints|-XX:-UseCountedLoopSafepoints -XX:LoopStripMiningIter=0||
price|throttled|||
price|no_cpu|||
exceptions|exceptions|||
descriptors|descriptors||31|
finalizer|finalizer|-Xmx64m -XX:+UseSerialGC|15|
virtual|carriers|-Djdk.virtualThreadScheduler.parallelism=2|15|
fsync|disk|||@scratch
dns|pool|||
codecache|code_cache|-XX:ReservedCodeCacheSize=5m -XX:-SegmentedCodeCache|20|
logging|convoy|||@scratch
pages|-||5|50
pages|-||5|300
blocking|-||5|
loops|-||5|
batch|-||5|
consumers|-||5|
cache|-|-Xmx512m|5|
pages|-|||100
'

slow_names=
neighbors=

# A server that answers no question makes each name take seconds.
start_slow_names() {
	printf 'nameserver 127.0.0.9\n' >"$scratch/resolv.conf"
	printf 'hosts: files dns\n' >"$scratch/nsswitch.conf"
	python3 -c '
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.9", 53))
time.sleep(120)' &
	slow_names=$!
	within="unshare --mount --propagation private sh tests/root/lib/names.sh $scratch"
}

# Processes that use all CPUs, for two minutes at most.
start_neighbors() {
	for _ in $(seq 1 $(($(nproc) * 2))); do
		timeout 120 sh -c 'while :; do :; done' &
		neighbors="$neighbors $!"
	done
}

group=/sys/fs/cgroup/cpu/sjkc-incident.$$

# Version 1 or 2 of control groups, whichever has the controller.
start_limit() {
	mkdir "$group" 2>/dev/null && echo 15000 >"$group/cpu.cfs_quota_us" &&
		echo "$pid" >"$group/cgroup.procs"
}

end_others() {
	# shellcheck disable=SC2086 # PIDs
	kill $slow_names $neighbors 2>/dev/null
	slow_names= neighbors= within=
}

# rules FILE: the rules of the first two causes
rules() {
	python3 -c '
import json, sys
print(" ".join(c["rule"] for c in json.load(open(sys.argv[1]))["causes"][:2]))' "$1"
}

# judge WANTED NAME: 0 if the rule is there, or - if there is none
judge() {
	"$sjkc" why -q --json -d "${SECONDS_OBSERVED:-6}s" "$pid" \
		>"$scratch/why.json" 2>"$scratch/err" ||
		{ echo "$2: why failed"; cat "$scratch/err"; return 1; }
	found=$(rules "$scratch/why.json")
	case "$1: $found " in
	"-:  " | *": $1 "* | *": "*" $1 "*) return 0 ;;
	esac
	echo "$2: '$found', not '$1'"
	"$sjkc" why "$scratch/why.json"
	return 1
}

# incident JDK NAME RULE SECONDS ARGUMENT OPTION…
incident() {
	home=$1 name=$2 rule=$3 seconds=$4 argument=$5
	shift 5
	[ "$argument" != @scratch ] || argument=$scratch
	[ "$name" != dns ] || start_slow_names
	target_program=Incidents target_memory='' target "$home" \
		-XX:TieredStopAtLevel=4 "$@" -- "$name" $argument || return 1
	[ "$rule" != no_cpu ] || start_neighbors
	[ "$rule" != throttled ] || start_limit || {
		echo "# skipped throttled: no control group"
		target_end "$pid"
		return 0
	}
	sleep "${seconds:-8}"
	judge "$rule" "$name"
	judged=$?
	end_others
	target_end "$pid"
	[ "$rule" != throttled ] || rmdir "$group" 2>/dev/null
	return $judged
}

failed=0
for jdk in $(jdks); do
	case $jdk in *8*) continue ;; esac
	echo "$incidents" >"$scratch/incidents"
	while IFS='|' read -r name rule options seconds argument <&3; do
		case "$name" in '') continue ;; esac
		[ -z "${INCIDENTS-}" ] || case " $INCIDENTS " in
		*" $name "* | *" $rule "*) ;;
		*) continue ;;
		esac
		if [ "$name" = virtual ] && ! "$jdk/bin/java" -version 2>&1 |
			grep -qE 'version "(2[4-9]|[3-9][0-9])'; then
			continue
		fi
		# shellcheck disable=SC2086 # words
		incident "$jdk" "$name" "$rule" "$seconds" "$argument" $options ||
			failed=$((failed + 1))
	done 3<"$scratch/incidents"
done
[ $failed -eq 0 ]
