# SPDX-License-Identifier: Apache-2.0
# Only in check-all: the samples of three samplers agree only statistically.
# Compares prof with the JDK's CPU time sampler (JEP 509, since JDK 25) in the
# same run of two programs that samplers are known to misreport.  The shares of
# self and total of the ten hottest methods agree within 3 points, with names
# from either source.
#
# The JDK attributes the time of native code to the caller.  If a routine of the
# JVM is the leaf, such as the one for MD5, the JDK omits the method that called
# it and attributes the time to the next caller (25.0.3), so MD5 is compiled in
# Digests.  The test also prints the shares of thread dumps, which are taken at
# safepoints.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/root/lib/worker.sh
lib=tests/root/lib

# Prints the JDK that has the event.
newest() {
	for installed in $(all_jdks); do
		grep -q '^JAVA_VERSION="\(2[5-9]\|[3-9]\)' "$installed/release" &&
			echo "$installed"
	done | tail -n 1
}

# All three samplers run at once and measure the same time.
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

# Takes about a hundred thread dumps; their shares are printed, not checked, so
# only make check-all takes them.
dump() {
	[ -z "${EVERY_JDK-}" ] ||
		{ begin dump --sampler dump -F 20 && burn 200 && finish dump; }
}

compare_dumps() {
	[ -n "${EVERY_JDK-}" ] || return 0
	echo '| the same by thread dumps:'
	python3 $lib/shares.py self "$scratch/dump.collapsed" \
		"$scratch/metadata.collapsed" 100 3 | sed 's/^/| /'
}

check() {
	target_program=$1 target_memory='-Xmx256m -XX:+UseSerialGC'
	target "$jdk" -XX:TieredStopAtLevel=4 \
		-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints \
		-XX:-UseMD5Intrinsics -- seconds=3000 || return
	# Wait until all hot methods are compiled.
	burn 300 || return
	record && dump || return
	# It would use a CPU while its samples are compared.
	target_end "$pid"
	# In Inflating, all leaves are native.
	[ "$1" = Inflating ] || omit_biased agent metadata || return
	echo "| $1: the JDK's samples, ours:"
	compare && compare_dumps
}

# Counts the samples with Inflating.readAll whose leaf is not a Java frame.
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

# Runs the jfr command of the JDK of the JVM.
jdk_jfr() {
	"$jdk/bin/jfr" -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC "$@"
}

jdk=$(newest)
[ -n "$jdk" ] || { echo 'no JDK 25 or later'; exit 77; }
check Digests && check Inflating && zlib_is_seen
