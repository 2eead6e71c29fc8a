# SPDX-License-Identifier: Apache-2.0
# The recordings have one chunk each, and the newest installed JDK can read
# them.
. tests/jvm/lib/jfr.sh
jdk=$(jdks | tail -n 1)
[ -n "$jdk" ] || { echo 'no JDK'; exit 77; }
ls ../shared/data/foreign/jfr/*.jfr >/dev/null 2>&1 ||
	{ echo 'no recordings of others'; exit 77; }
compared=0
for file in ../shared/data/foreign/jfr/*.jfr; do
	"$jdk/bin/jfr" -J-XX:TieredStopAtLevel=1 summary "$file" 2>/dev/null |
		grep -q '^ Chunks: 1$' || continue
	copy=$2/$(basename "$file")
	cp "$file" "$copy"
	same_counts "$1" "$jdk" "$copy" || { echo "$file"; exit 1; }
	compared=$((compared + 1))
done
[ "$compared" -gt 0 ] || { echo 'nothing was compared'; exit 1; }
