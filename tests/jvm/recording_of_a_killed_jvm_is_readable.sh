# SPDX-License-Identifier: Apache-2.0
# The chunk in the repository of a JVM that runs is read up to its last sample, by
# the name of the file or of the repository, and nothing is lost. The chunk of a
# killed JVM is incomplete.
. tests/jvm/lib/jfr.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }

# live_is_not_lost SJKC SCRATCH: reads $chunk while $jvm runs
live_is_not_lost() {
	live="still being written: 1 (first: by process $jvm; the last sample is from"
	for command in "flame --list-events" "prof --format jfr -i"; do
		for input in "$chunk" "$(dirname "$chunk")" "${chunk%/*}/"; do
			# shellcheck disable=SC2086 # words
			"$1" $command "$input" >"$2/report" 2>"$2/said" &&
				! grep 'lost' "$2/said" "$2/report" &&
				cat "$2/said" "$2/report" | tr -s ' \n' ' ' |
				grep -q 'still being written: 1' && continue
			echo "$command $input:"
			cat "$2/said" "$2/report"
			return 1
		done
	done
	"$1" jfr2json --list-types "$chunk" >"$2/report" 2>"$2/said" &&
		grep -q '^jdk.ExecutionSample' "$2/report" &&
		grep -qF "still being written: 1 (first: by process $jvm)" \
			"$2/said" || { cat "$2/said" "$2/report"; return 1; }
	counts "$1" "$chunk" >"$2/live"
	"$1" flame --list-events "$chunk" 2>"$2/said" >&2
	grep -qF "$live" "$2/said" || { cat "$2/said"; return 1; }
	"$1" flame "$jvm" 2>"$2/said"
	grep -qF "the process records to $(realpath "$chunk")" "$2/said" ||
		{ cat "$2/said"; return 1; }
	"$1" flame --list-events "$2/$n" 2>"$2/said"
	[ $? -eq 6 ] && grep -q 'is a directory without recordings' "$2/said" ||
		{ cat "$2/said"; return 1; }
}

n=0
for jdk in $(jdks); do
	n=$((n + 1))
	# Not by record(), where the signal would kill timeout(1), not the JVM.
	env --default-signal=QUIT,INT "$jdk/bin/java" \
		-Xlog:disable -Xlog:all=error:stderr \
		-XX:FlightRecorderOptions:repository="$2/$n" \
		-XX:StartFlightRecording:filename="$2/$n.jfr",settings=profile \
		tests/jvm/lib/Recorded.java 20 &
	jvm=$!
	# Wait up to 15 s until a flush has written samples.
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		sleep 1
		chunk=$(find "$2/$n" -name '*.jfr' | head -n 1)
		[ -n "$chunk" ] && counts "$1" "$chunk" 2>/dev/null |
			grep -q '^jdk.ExecutionSample' && break
	done
	live_is_not_lost "$1" "$2" || { echo "$jdk"; exit 1; }
	kill -KILL $jvm
	wait $jvm 2>/dev/null
	"$1" flame --list-events "$chunk" >"$2/said" 2>&1
	status=$?
	[ $status -eq 7 ] ||
		{ echo "$jdk: exit status $status"; cat "$2/said"; exit 1; }
	grep -q 'lost: unfinished chunks: 1' "$2/said" || { cat "$2/said"; exit 1; }
	counts "$1" "$chunk" | grep -q '^jdk.ExecutionSample' ||
		{ echo "$jdk: no sample"; exit 1; }
	# The samples of the running JVM are among those of the killed one.
	counts "$1" "$chunk" | join -a 1 "$2/live" - |
		awk 'NF != 3 || $2 > $3 { print; bad = 1 } END { exit bad }' ||
		{ echo "$jdk: more events before the end"; exit 1; }
done
exit 0
