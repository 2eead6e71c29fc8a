# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for a recording.
# The recording starts late.  Up to JDK 25, the weight of a thread's first
# sample is everything that the thread has allocated, here 400 MB before the
# recording.
. tests/jvm/lib/jfr.sh
sjkc=$1 recording=$2/late.jfr
jdk=$(jdks | tail -n 1)
[ -n "$jdk" ] || { echo 'no JDK with jfr'; exit 77; }
timeout 300 env --default-signal=QUIT,INT "$jdk/bin/java" -Xmx64m \
	-XX:+UseSerialGC tests/jvm/lib/Allocating.java "$2/late.jfr" \
	>"$2/counted" 2>&1 || { cat "$2/counted"; exit 1; }

events_weight() {
	"$sjkc" flame -q --list-events --json "$recording" |
		sed 's/{"name"/\n&/g' |
		sed -n 's/.*"jdk.ObjectAllocationSample".*"weight":\([0-9]*\).*/\1/p'
}
collapsed_weight() {
	"$sjkc" flame -q -e alloc --total --output-format collapsed -o - \
		"$recording" | awk '{ sum += $NF } END { print sum }'
}
report_weight() {
	"$sjkc" prof -q -e alloc --json -i "$recording" |
		sed -n 's/"total_percent".*//; s/.*"total_bytes":\([0-9]*\),$/\1/p'
}
for what in events collapsed report; do
	awk -v weight="$(${what}_weight)" -v what=$what '
		{ counted[$1] = $2 }
		END {
			low = counted["low"] * 0.9
			high = counted["high"] * 1.1
			if (high <= 0 || weight < low || weight > high) {
				printf "%s: %d, not %d to %d\n", what, weight,
					low, high
				exit 1
			}
		}' "$2/counted" || exit 1
done
"$sjkc" prof -q -e alloc -i "$recording" |
	grep -q '^note: bytes allocated before the recording, not included: ' ||
	{ echo 'nothing was excluded'; exit 1; }
