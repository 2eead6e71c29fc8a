# SPDX-License-Identifier: Apache-2.0
# The chunk in the repository is incomplete, because its JVM was killed.
. tests/jvm/lib/jfr.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
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
	kill -KILL $jvm
	wait $jvm 2>/dev/null
	"$1" flame --list-events "$chunk" >"$2/said" 2>&1
	status=$?
	[ $status -eq 7 ] ||
		{ echo "$jdk: exit status $status"; cat "$2/said"; exit 1; }
	grep -q 'lost: unfinished chunks: 1' "$2/said" || { cat "$2/said"; exit 1; }
	counts "$1" "$chunk" | grep -q '^jdk.ExecutionSample' ||
		{ echo "$jdk: no sample"; exit 1; }
done
exit 0
