# SPDX-License-Identifier: Apache-2.0
# Begins early: ten seconds of CPU time of each of two programs.
# Two programs on which samplers are known to lie, and what the JDK says of the
# same run, which has had a sampler by CPU time since 25 (JEP 509): of the ten
# hottest methods, shares of self and total agree within 3 points, whoever gives
# the names.  What native code takes is its caller's, for the JDK's; and where a
# routine of the JVM's own is the leaf, such as that for MD5, the JDK's leaves out
# the method that called it (25.0.3: its time is said to be the next caller's), so
# that Digests has MD5 compiled.
# Beside it, printed, what thread dumps say, which are of safepoints.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/root/lib/worker.sh
lib=tests/root/lib

# The JDK that has the event.
newest() {
	for jdk in $(all_jdks); do
		grep -q '^JAVA_VERSION="\(2[5-9]\|[3-9]\)' "$jdk/release" &&
			echo "$jdk"
	done | tail -n 1
}

# All three at once, so that they are of the same time.
record() {
	begin agent -F 499 && begin metadata -F 499 --no-agent || return
	jfr JFR.start name=cpu settings=none '+jdk.CPUTimeSample#enabled=true' \
		'+jdk.CPUTimeSample#throttle=500/s' \
		filename="$scratch/cpu.jfr" || return
	burn 800 && finish agent && finish metadata && jfr JFR.stop name=cpu ||
		return
	"$sjkc" flame -q -e cpu-time --thread-name '^worker$' --annotate \
		-o "$scratch/jdk.collapsed" "$scratch/cpu.jfr"
}

compare() {
	for which in self total; do
		for ours in metadata agent; do
			python3 $lib/shares.py $which "$scratch/jdk.collapsed" \
				"$scratch/$ours.collapsed" 3 >"$scratch/table" ||
				{ echo "$target_program, $ours:"
				cat "$scratch/table"; return 1; }
		done
	done
	python3 $lib/shares.py self "$scratch/jdk.collapsed" \
		"$scratch/metadata.collapsed" 3 3 | sed 's/^/| /'
}

# By thread dumps, a hundred or so; what they say is shown, not checked.
dumped() {
	begin dump --sampler dump -F 20 && burn 200 && finish dump || return
	echo '| the same by thread dumps:'
	python3 $lib/shares.py self "$scratch/dump.collapsed" \
		"$scratch/metadata.collapsed" 100 3 | sed 's/^/| /'
}

check() {
	target_program=$1 target_memory='-Xmx256m -XX:+UseSerialGC'
	target "$jdk" -XX:TieredStopAtLevel=4 \
		-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints \
		-XX:-UseMD5Intrinsics -- seconds=900 || return
	# All that is hot is to be compiled.
	burn 300 || return
	record || return
	# In native code all are.
	[ "$1" = Inflating ] || leave_out_biased agent metadata || return
	echo "| $1: the JDK's samples, ours:"
	compare && dumped || return
}

# Of the samples with Inflating.readAll in them, those whose leaf is no Java.
zlib_is_seen() {
	share=$(awk '
		/Inflating\.readAll/ {
			n = $NF; all += n
			leaf = $0; sub(/ [0-9]*$/, "", leaf); sub(/.*;/, "", leaf)
			if (leaf !~ /_\[[ji01]\]$/) native += n
		}
		END { print all ? int(100 * native / all) : 0 }' \
		"$scratch/metadata.collapsed")
	[ "$share" -ge 75 ] || { echo "native code has $share %"; return 1; }
	echo "| of reading, native code has $share %"
}

# The jfr of the JDK that runs.
jdk_jfr() {
	"$jdk/bin/jfr" "$@"
}

jdk=$(newest)
[ -n "$jdk" ] || { echo 'no JDK 25 or later'; exit 77; }
check Digests || exit 1
target_end "$pid"
check Inflating && zlib_is_seen
