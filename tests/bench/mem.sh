#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/mem.sh SJKC [JDK…]
#
# Accounts for the memory of ten programs and of Tomcat (from Maven Central), on each
# JDK with each of its collectors.  A row has:
#
#	RSS	in MB, from smaps, before the account
#	sum	the parts, in percent of RSS; ZGC's heap counts once (Pss)
#	named	all but the unknown part, in percent of RSS
#	CPU	seconds of sjkc
#	heap, code, meta
#		committed bytes, in percent of those of native memory tracking (NMT),
#		of which the nearest value between two reports counts
#	stacks	resident KB less those of NMT, which counts guard zones of 16 KB a
#		Java thread, too; JDK 8 counts reserved memory, so it has none
#	GC	MB of NMT's mappings for the collector, and ours
#	malloc	MB of NMT's blocks, which has none of libraries, and ours
#
# and ends with "named", if less than 97 % is named, or with "sum", if the sum is not
# between RSS before and after the account, within 0.2 %, as may be in a busy JVM.
#
# PROGRAMS="idle mix" and COLLECTORS="G1 Z" choose some.  KEEP=directory keeps the
# documents, the ranges and NMT's reports.
# shellcheck disable=SC2046,SC2086 # words
set -u
cd "$(dirname "$0")/../.." || exit 2
sjkc=$(realpath "$1")
shift
scratch=$(mktemp -d)
. tests/jvm/lib/target.sh
. tests/jvm/lib/maven.sh
trap 'target_end_all; rm -rf "$scratch"' EXIT
keep=${KEEP:-$scratch}
mkdir -p "$keep"
target_program=Memory

# row PROGRAM JDK COLLECTOR: a line about $pid
row() {
	/usr/bin/python3 - "$sjkc" "$pid" "$keep" "$@" <<-'END'
		import json, re, resource, subprocess, sys
		sjkc, pid, keep, *names = sys.argv[1:]
		def resident():
		    total, heap = 0, False
		    for line in open(f"/proc/{pid}/smaps"):
		        word = line.split()
		        if "-" in word[0]:
		            heap = "java_heap" in line
		        if word[0] == ("Pss:" if heap else "Rss:"):
		            total += int(word[1]) * 1024
		    return total
		def run(*args):
		    r = subprocess.run([sjkc, *args], stdout=subprocess.PIPE, text=True)
		    if r.returncode:
		        sys.exit(" ".join(names) + ": failed")
		    return r.stdout
		def native():
		    return run("jcmd", pid, "VM.native_memory", "summary", "scale=KB")
		native() # attaching makes a thread, and loads classes
		first = native()
		cpu = resource.getrusage(resource.RUSAGE_CHILDREN)
		before = resident()
		text = run("mem", pid, "--json")
		now = resource.getrusage(resource.RUSAGE_CHILDREN)
		used = now.ru_utime + now.ru_stime - cpu.ru_utime - cpu.ru_stime
		after = resident()
		last = native()
		base = f"{keep}/{'-'.join(names)}"
		open(base + ".json", "w").write(text)
		open(base + ".nmt", "w").write(last)
		open(base + ".maps", "w").write(run("mem", pid, "--maps"))
		d = json.loads(text)
		part = {p["name"]: p for p in d["parts"]}
		def kb(report, category, kind):
		    m = re.search(rf"-\s+{category} \(reserved(?:(?!\n-).)*?{kind}=(\d+)KB", report, re.S)
		    return int(m[1]) * 1024 if m else 0
		def near(value, *categories, kind=r"mmap: reserved=\d+KB, committed"):
		    """the nearest of NMT's values during the account"""
		    ends = sorted(sum(kb(r, c, kind) for c in categories) for r in (first, last))
		    return min(max(value, ends[0]), ends[1])
		def percent(name, *categories):
		    mine = part[name]["committed_bytes"]
		    other = near(mine, *categories)
		    return f"{100 * mine / other:.1f}" if other else "-"
		# The first thread has the kernel's stack.
		stacks = sum(t["resident_bytes"] + 16384 * t["java"] for t in d["threads"]
		             if t["tid"] != int(pid))
		stacks -= near(stacks, "Thread", kind=r"stack: reserved=\d+KB, committed")
		gc = part["gc"]["committed_bytes"]
		sums = sum(p["resident_bytes"] for p in d["parts"])
		named = 100 * (1 - part["unknown"]["resident_bytes"] / sums)
		blocks = sum(int(k) for k in re.findall(r"malloc=(\d+)KB", last)) / 1024
		used_blocks = sum(a["in_use_bytes"] for a in d["arenas"])
		used_blocks += d.get("mapped", {"bytes": 0})["bytes"]
		bad = ["named"] if named < 97 else []
		low, high = sorted((before, after))
		if not 0.998 * low <= sums <= 1.002 * high:
		    bad.append("sum")
		print(f"{names[0]:10} {names[1]:>3} {names[2]:13} {before / 2**20:6.1f} "
		      f"{100 * sums / before:6.2f} {named:6.2f} {used:5.2f} "
		      f"{percent('heap', 'Java Heap'):>6} {percent('code', 'Code'):>6} "
		      f"{percent('metaspace', 'Class', 'Metaspace'):>6} "
		      f"{'-' if names[1] == '8' else stacks // 1024:>7} "
		      f"{near(gc, 'GC') / 2**20:>6.1f} {gc / 2**20:<6.1f} "
		      f"{blocks:>6.1f} {used_blocks / 2**20:<6.1f} {' '.join(bad)}", flush=True)
	END
}

# collectors JDK: prints those that it has
collectors() {
	for one in ${COLLECTORS:-Serial Parallel ConcMarkSweep G1 Z ZGenerational Shenandoah}; do
		"$1/bin/java" $(collector_options "$one") -Xmx64m -version \
			>"$scratch/version" 2>&1 &&
			! grep -qi 'ignoring option' "$scratch/version" && echo "$one"
	done
}

collector_options() {
	echo "-XX:+UnlockExperimentalVMOptions $(case $1 in
	ZGenerational) echo '-XX:+UseZGC -XX:+ZGenerational' ;;
	*) echo "-XX:+Use$1GC" ;;
	esac)"
}

# start PROGRAM HOME OPTION…
start() {
	program=$1 home=$2
	shift 2
	case $program in
	idle) target "$home" "$@" ;;
	http) target "$home" "$@" -- http=4 ;;
	direct) target "$home" "$@" -- direct=25 ;;
	threads) target "$home" "$@" -- threads=500 ;;
	inflaters) target "$home" "$@" -- inflaters=2000 ;;
	loaders) target "$home" "$@" -- loaders=800 ;;
	fragments) target "$home" "$@" -- fragments=200 ;;
	touched) target "$home" "$@" -Xms256m -Xmx256m -XX:+AlwaysPreTouch -- direct=10 ;;
	mix) target "$home" "$@" -- $mix ;;
	one-arena) within='env MALLOC_ARENA_MAX=1'
		target "$home" "$@" -- $mix
		within='' ;;
	tomcat) start_tomcat "$home" "$@" ;;
	esac
}
mix='http=2 direct=10 threads=100 inflaters=400 fragments=64 mapped=16 loaders=50'

start_tomcat() {
	home=$1
	shift
	[ -n "${jars-}" ] ||
		maven_fetch '' org.apache.tomcat.embed:tomcat-embed-core:9.0.98
	classes=$scratch/tomcat$version
	[ -e "$classes" ] || {
		mkdir -p "$classes"
		sed 's/jakarta\./javax./' tests/bench/TomcatLoad.java \
			>"$scratch/TomcatLoad.java"
		"$home/bin/javac" -nowarn -cp "$jars" -d "$classes" \
			"$scratch/TomcatLoad.java" || return
	}
	said=$scratch/said.tomcat
	env --default-signal=QUIT,INT "$home/bin/java" $target_memory "$@" \
		-cp "$classes:$jars" TomcatLoad "$scratch" </dev/null \
		>"$said" 2>&1 &
	pid=$!
	target_pids="$target_pids $pid"
	AWAIT_LIMIT=300 target_wait "$said" READY "$pid"
}

echo 'program    JDK collector        RSS    sum  named   CPU   heap   code   meta  stacks     GC         malloc'
[ $# -gt 0 ] || set -- $(all_jdks)
for jdk; do
	version=$("$jdk/bin/java" -version 2>&1 |
		sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p')
	for collector in $(collectors "$jdk"); do
		target_memory="-Xmx64m $(collector_options "$collector")"
		target_memory="$target_memory -XX:NativeMemoryTracking=summary"
		for program in ${PROGRAMS:-idle http direct threads inflaters loaders \
			fragments touched mix one-arena tomcat}; do
			AWAIT_LIMIT=300 start "$program" "$jdk" -XX:TieredStopAtLevel=4 || continue
			sleep 1
			row "$program" "$version" "$collector"
			target_end "$pid"
		done
	done
done
