#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/probe_cycles.sh SJKC [CYCLES [JDK]]
#
# Arms and disarms the methods of three classes in 10,000 sessions, each with a
# load of the agent, and prints what the target has at ten times: its resident
# memory, descriptors, mappings, metaspace, and threads.  At the end, the bytes of
# the classes equal those after the first cycle.
#
# The heap is touched at the start, and a collection after each hundred cycles
# frees replaced classes and code: otherwise the resident memory tells how much
# of them was there at a time.
#
# ARMED='Calls::*' has a class with a lambda expression.  The JVM links it again
# after each change of the class, and makes another class for it that stays.
set -u
cd "$(dirname "$0")/../.." || exit 2
sjkc=$(realpath "$1")
cycles=${2:-10000}
scratch=$(mktemp -d)
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/probes.sh
trap 'target_end_all; rm -rf "$scratch"' EXIT
make -s build/cc/tests/jvm/lib/show_probes || exit
TOOLS=${TOOLS:-build/cc/tests/jvm/lib}

# measured NUMBER: a line about the target, after two collections
measured() {
	"$sjkc" jcmd "$pid" GC.run >"$scratch/gc" 2>&1
	"$sjkc" jcmd "$pid" GC.run >"$scratch/gc" 2>&1
	meta=$("$sjkc" jcmd "$pid" VM.metaspace 2>/dev/null |
		sed -n 's/^ *Both: *[0-9]* chunks, *//p' | sed 's/  */ /g' | head -n 1)
	printf '%8d %10d %6d %6d %8d  %s\n' "$1" \
		"$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status")" \
		"$(files_open "$pid")" "$(wc -l <"/proc/$pid/maps")" \
		"$(sed -n 's/^Threads:[^0-9]*//p' "/proc/$pid/status")" "$meta"
}

classes_armed=${ARMED:-'Calls$*::*'}
for jdk in ${3-$(all_jdks)}; do
	target_program=Calls
	target_memory='-Xms64m -Xmx64m -XX:+AlwaysPreTouch -XX:+UseSerialGC'
	target "$jdk" -- hold=1 threads=1 calls=50 slow=0 && witness_build "$jdk" ||
		exit
	echo "$(basename "$jdk"), $cycles cycles"
	echo '   cycle   RSS (KB)  files   maps  threads  metaspace'
	"$TOOLS/show_probes" "$pid" "$classes_armed" arm disarm >"$scratch/out" || exit
	witness Calls "$scratch/first" && witness Calls "$scratch/first" || exit
	begin=$(date +%s)
	for part in 0 1 2 3 4 5 6 7 8 9; do
		measured $((part * cycles / 10))
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			"$TOOLS/show_probes" "$pid" \
				"cycles=$((cycles / 100))" "$classes_armed" \
				arm disarm >"$scratch/out" || exit
			"$sjkc" jcmd "$pid" GC.run >"$scratch/gc" 2>&1
		done
	done
	measured "$cycles"
	echo "$(($(date +%s) - begin)) s, $(grep -c '^armed' "$scratch/out") armed in the last hundredth"
	witness Calls "$scratch/last" && cmp "$scratch/first" "$scratch/last" &&
		echo 'class bytes are identical'
	target_end "$pid"
done
