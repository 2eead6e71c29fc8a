# SPDX-License-Identifier: Apache-2.0
# For each JDK, the recording includes an event that the application defines.
. tests/jvm/lib/jfr.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
n=0
for jdk in $(jdks); do
	n=$((n + 1))
	record "$jdk" "$2/$n.jfr" 3 || exit 1
	same_counts "$1" "$jdk" "$2/$n.jfr" || exit 1
	for event in tests.Step jdk.ExecutionSample jdk.JavaMonitorEnter; do
		grep -q "^$event " "$2/$n.jfr.got" ||
			{ echo "$jdk: no $event"; exit 1; }
	done
done
