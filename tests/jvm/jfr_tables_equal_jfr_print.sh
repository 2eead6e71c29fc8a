# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for a recording.
# Events without stack traces: their counts equal those of `jfr summary`, and
# the durations of collections equal those of `jfr print`.
. tests/jvm/lib/jfr.sh
sjkc=$1 file=$2/some.jfr
jdk=$(jdks | tail -n 1)
[ -n "$jdk" ] || { echo 'no JDK with jfr'; exit 77; }
record "$jdk" "$file" 2 -Xmx32m -XX:+UseSerialGC || exit 1

"$jdk/bin/jfr" -J-XX:TieredStopAtLevel=1 summary "$file" | awk '
	NF == 3 && $2 + 0 > 0 && $1 ~ /\./ { print $1, $2 }' |
	grep -v -e '^jdk\.Metadata ' -e '^jdk\.CheckPoint ' \
		-e '^jdk\.Checkpoint ' | sort >"$2/wanted"
"$sjkc" flame -q --list-events --json "$file" | sed 's/{"name"/\n&/g' |
	sed -n 's/^{"name":"\([^"]*\)","[a-z]*":\([0-9]*\).*/\1 \2/p' |
	sort >"$2/got"
grep -q '^jdk.GarbageCollection ' "$2/wanted" || { echo 'no collection'; exit 1; }
diff "$2/wanted" "$2/got" || { echo "$jdk: numbers differ"; exit 1; }

# Compare microseconds, because jfr print rounds to them.
"$jdk/bin/jfr" -J-XX:TieredStopAtLevel=1 print --json \
	--events jdk.GarbageCollection "$file" | awk -F'"' '
	/"duration":/ {
		seconds = $4
		gsub(/^PT|S$/, "", seconds)
		duration = seconds * 1e6
	}
	/"name":/ && !/javaName|osName/ && !name { name = $4 }
	/"cause":/ { cause = $4 }
	/"longestPause":/ {
		row = name "," cause
		count[row]++
		sum[row] += duration
		if (duration > most[row])
			most[row] = duration
		name = ""
	}
	END {
		for (row in count)
			printf "%s %d %d %d\n", row, count[row], sum[row] / 10,
				most[row] / 10
	}' | sort >"$2/wanted"
"$sjkc" prof -q -i "$file" -e jdk.GarbageCollection --csv | awk -F, '
	NR > 1 {
		printf "%s,%s %d %d %d\n", $1, $2, $3, $4 / 10000, $6 / 10000
	}' | sort >"$2/got"
[ -s "$2/wanted" ] || { echo 'jfr print printed no collection'; exit 1; }
diff "$2/wanted" "$2/got" || { echo "$jdk: durations differ"; exit 1; }
