# SPDX-License-Identifier: Apache-2.0
# Heap histograms with each collector of each JDK: hh counts garbage, or refuses
# a histogram that would be empty.
sjkc=$1
scratch=$2
version=$3
. tests/jvm/lib/target.sh
. tests/jvm/lib/jdk.sh
. tests/jvm/lib/attach.sh

# Counts the garbage of the JVM's own start, which nothing collects before hh
# does.
counts_garbage() {
	{ ask 0 hh "$pid" --dead -q &&
		dead=$(awk '/\[B/ { print $2; exit }' "$scratch/out") &&
		[ "${dead:-0}" -gt 0 ]; } || { cat "$scratch/out"; return 1; }
	echo "| $dead dead arrays"
}

refuses() {
	ask 8 hh "$pid" --dead && printed_nothing && said "$1" &&
		ask 8 hh "$pid" --dead-young -d 10ms && said "$1" &&
		ask 0 hh "$pid" && echo '| refused'
}

check() {
	case $1 in
	ZGC | ShenandoahGC)
		refuses 'count reachable objects only, never garbage' &&
			said 'garbage is not included' ;;
	EpsilonGC) refuses 'Epsilon never collects garbage' ;;
	*) counts_garbage ;;
	esac
}

for collector in SerialGC ParallelGC G1GC ConcMarkSweepGC ZGC ShenandoahGC \
	EpsilonGC; do
	target_memory="-Xmx128m -XX:+UnlockExperimentalVMOptions
		-XX:+Use$collector"
	jdk_start "$version" -- threads=1
	# A JDK without the collector ends at once.
	if target_ready >/dev/null && target_find; then
		cell "hh with $collector" check $collector
	else
		grep -q "Use$collector\|not supported" "$said" ||
			{ cat "$said"; exit 1; }
	fi
	target_end "$pid"
done
