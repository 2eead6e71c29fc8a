# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for memory that is never delivered.
# The JVM's memory stalls every reader.  That costs a few seconds, no more for
# forty stacks than for two.  prof counts the lost stack traces on stderr, in
# the report and in the title, and exits with status 7.  All other data is as
# usual.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

# tell WORD…: makes the JVM's memory stall
tell() {
	said_before=$(grep -c STALLED "$said")
	echo "$@" >"$tell"
	for _ in $(seq 1 100); do
		[ "$(grep -c STALLED "$said")" -eq "$said_before" ] || return 0
		sleep 0.1
	done
	echo "nothing stalls: $*"
	cat "$said"
	return 1
}

# stalled_prof LEAST OPTION…: prof samples 2 s and takes at most 8 s more; its
# title counts at least LEAST lost stack traces
stalled_prof() {
	least=$1
	shift
	before=$(date +%s%N)
	prof 7 --no-agent -d 2s --json -n 500 -o "$scratch/some.json" "$@" "$pid" || return
	took=$((($(date +%s%N) - before) / 1000000))
	lost=$(sed -n 's/.*traces lost: \([0-9]*\) (reading the target.*/\1/p' \
		"$prof_err")
	[ "${lost:-0}" -ge "$least" ] || { cat "$prof_err"; return 1; }
	has "$scratch/some.json" "\"stack traces lost\",\"count\":$lost," || return
	[ $took -lt 10000 ] || { echo "it took $took ms"; return 1; }
}

tell=$scratch/tell
mkfifo "$tell"
# Holds the pipe open, so that it has no end of file.
sleep 300 <>"$tell" &
target_jobs="$target_jobs $!"
preloaded=$(dirname "$(dirname "$(dirname "$TOOLS")")")/tests/tools
for jdk in $(jdks); do
	within="env LD_PRELOAD=$(realpath "$preloaded/stalling.so") STALLING=$tell" \
		target "$jdk" -- burners=1 threads=2 || exit 1
	tell sleepers 2 && stalled_prof 2 -e wall -t || exit 1
	[ "$lost" -eq 2 ] || { echo "$lost stack traces lost, not 2"; exit 1; }
	has "$scratch/some.json" 'Target\.sleep' || exit 1
	tell sleepers 40 && stalled_prof 40 -e wall -t || exit 1
	# The segment maps of the code cache stall, so no Java frame can be
	# found.
	"$TOOLS/segment_maps" "$pid" >"$scratch/maps" || exit 1
	while read -r map; do
		tell "$map" || exit 1
	done <"$scratch/maps"
	stalled_prof 10 -e cpu -F 499 || exit 1
	prof 7 --no-agent -d 1s -o "$scratch/some.html" "$pid" &&
		has "$scratch/some.html" ', [0-9,]+ samples, [1-9][0-9,]* lost' ||
		exit 1
	kill -0 "$pid" || { echo 'it was harmed'; exit 1; }
	target_end "$pid"
done
