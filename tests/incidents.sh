#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	sh tests/incidents.sh SJKC [NAME...]
#
# Runs services with a fault, one at a time, and healthy ones.  `sjkc why` must name
# the fault as its first or second cause, and find no cause for a healthy service.
# NAME is the name or the wanted rule of some of them.
#
# The environment's JDKS are the homes of JDKs (default: 17 and 25), TIMES how often
# each runs, SECONDS_OBSERVED the duration of why, and BUSY=1 runs a process that
# uses one CPU beside them.  With AGENT=1, an agent that follows the calls that
# `sjkc mcp` suggests must reach each fault (incidents/agent.py).  Needs root, and a
# machine without other work: a JVM without a CPU has a cause.
sjkc=$1
shift
wanted=$*
scratch=$(mktemp -d)
. tests/jvm/lib/target.sh
trap 'trap - EXIT; end_others; target_end_all; rm -rf "$scratch"' EXIT

# name|rule|JVM options|seconds before|argument|words; trends begin after 30 s.  Of
# two rules, either: the owner of a logger's lock waits for its file.  An agent must
# find one of the words or, without words, the rule.
incidents='
regex|place||||isMail
deadlock|deadlock||||transfer
convoy|convoy||||PriceCache
downstream|pool||||fetchInventory
permits|pool||||ConnectionPool
leak|old|-Xmx130m -XX:+UseG1GC|31||Incidents$Session
loaders|classes||31||ScriptLoader
direct|native|-Xmx128m -XX:MaxDirectMemorySize=1g|31||DirectByteBuffer,direct buffers
direct|direct|-Xmx64m|31||DirectByteBuffer,direct buffers
deflater|native|-Xmx128m|31||Deflater
thrash|collections|-Xmx55m -XX:+UseG1GC
humongous|humongous|-Xmx256m -XX:+UseG1GC -XX:G1HeapRegionSize=1m|||Large.serve
safepoint|safepoints|-XX:-UseCountedLoopSafepoints -XX:LoopStripMiningIter=0|||Checksum,audit-checksum
price|throttled
price|no_cpu
exceptions|exceptions||||Exceptions.parse
descriptors|descriptors||31||Templates
finalizer|finalizer|-Xmx64m -XX:+UseSerialGC|15||LegacyHandle
virtual|carriers|-Djdk.virtualThreadScheduler.parallelism=2|15||thumbnail
fsync|disk|||@scratch|Journal
dns|pool||||Names.serve
codecache|code_cache|-XX:ReservedCodeCacheSize=5m -XX:-SegmentedCodeCache|45
logging|convoy/disk|||@scratch|Audit
pages|-|||50
pages|-|||300
blocking|-
loops|-
batch|-
consumers|-
cache|-|-Xmx512m
pages|-||1|100
'

others=

# A server that answers no question makes each name take seconds.
start_slow_names() {
	printf 'nameserver 127.0.0.9\n' >"$scratch/resolv.conf"
	printf 'hosts: files dns\n' >"$scratch/nsswitch.conf"
	python3 -c '
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.9", 53))
time.sleep(120)' &
	others="$others $!"
	within="unshare --mount --propagation private sh tests/incidents/names.sh $scratch"
}

# start_busy NUMBER: processes that use a CPU, for two minutes at most
start_busy() {
	for _ in $(seq 1 "$1"); do
		perl -e 'alarm 120; 1 while 1' &
		others="$others $!"
	done
}

group=/sys/fs/cgroup/cpu/sjkc-incident.$$

# start_limit: 0.15 CPUs; only version 1 of control groups
start_limit() {
	mkdir "$group" 2>/dev/null && echo 15000 >"$group/cpu.cfs_quota_us" &&
		echo "$pid" >"$group/cgroup.procs"
}

end_others() {
	for other in $others; do
		kill "$other" && wait "$other"
	done 2>/dev/null
	others= within=
}

# judge NAME RULE[/RULE] WORDS: 0 if a cause has a rule, or if the rule is - and there
# is none; with AGENT, if the agent reaches the words
judge() {
	if [ -n "${AGENT-}" ]; then
		python3 tests/incidents/agent.py "$sjkc" "$pid" "$2" "$3" "$scratch"
		return
	fi
	"$sjkc" why -q --json -d "${SECONDS_OBSERVED:-8}s" "$pid" \
		>"$scratch/why.json" 2>"$scratch/err" ||
		{ echo "# $1: why failed"; cat "$scratch/err"; return 1; }
	found=$(python3 -c '
import json, sys
print(" ".join(c["rule"] for c in json.load(open(sys.argv[1]))["causes"][:2]))' \
		"$scratch/why.json")
	case "$2: $found " in
	"-:  ") return 0 ;;
	-:*) ;;
	*" ${2%/*} "* | *" ${2#*/} "*) return 0 ;;
	esac
	echo "# $1: found '$found', not '$2'"
	"$sjkc" why "$scratch/why.json" | sed 's/^/# /'
	return 1
}

# incident NAME RULE SECONDS ARGUMENT WORDS OPTION...: runs one on $jdk
incident() {
	name=$1 rule=$2 seconds=$3 argument=$4 words=$5
	shift 5
	[ "$argument" != @scratch ] || argument=$scratch
	[ "$name" != dns ] || start_slow_names
	# shellcheck disable=SC2086 # words
	start_java "$@" -cp "$classes" Incidents "$name" $argument || return 1
	[ "$rule" != no_cpu ] || start_busy $(($(nproc) * 4))
	[ -z "${BUSY-}" ] || start_busy 1
	if [ "$rule" = throttled ] && ! start_limit; then
		echo "# skipped $name: no control group of version 1"
		ended=0
	else
		sleep "${seconds:-8}"
		judge "$name" "$rule" "$words"
		ended=$?
	fi
	end_others
	target_end "$pid"
	[ "$rule" != throttled ] || rmdir "$group" 2>/dev/null
	return $ended
}

# start_java OPTION...: sets $pid, and waits for READY
start_java() {
	said=$scratch/said
	# shellcheck disable=SC2086 # words
	env --default-signal=QUIT,INT $within "$jdk/bin/java" "$@" \
		</dev/null >"$said" 2>&1 &
	starter=$! pid=$!
	target_pids="$target_pids $pid"
	target_ready
}

# is_wanted: 0 if NAME was not given, or is $name or $rule
is_wanted() {
	[ -n "$wanted" ] || return 0
	case " $wanted " in
	*" $name "* | *" $rule "*) return 0 ;;
	esac
	return 1
}

# run_all: all incidents on $jdk
run_all() {
	major=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$jdk/release")
	while IFS='|' read -r name rule options seconds argument words <&3; do
		[ -n "$name" ] && is_wanted || continue
		[ -z "${AGENT-}" ] || [ "$rule" != - ] || continue
		[ "$name" != virtual ] || [ "$major" -ge 24 ] || continue
		number=$((number + 1))
		# shellcheck disable=SC2086 # words
		if incident "$name" "$rule" "$seconds" "$argument" "$words" $options; then
			echo "ok $number - $major $name $argument: $rule"
		else
			echo "not ok $number - $major $name $argument: $rule"
			failed=$((failed + 1))
		fi
	done 3<"$scratch/incidents"
}

number=0 failed=0
echo "$incidents" >"$scratch/incidents"
for jdk in ${JDKS:-$(all_jdks)}; do
	classes=$scratch/classes.${jdk##*/}
	mkdir "$classes"
	"$jdk/bin/javac" -nowarn -d "$classes" tests/incidents/Incidents.java \
		2>"$scratch/javac" || { cat "$scratch/javac"; exit 1; }
	for _ in $(seq 1 "${TIMES:-1}"); do
		run_all
	done
done
echo "1..$number"
[ $failed -eq 0 ]
