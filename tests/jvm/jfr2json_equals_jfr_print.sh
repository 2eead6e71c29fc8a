# SPDX-License-Identifier: Apache-2.0
# Only in check-all: 4 s of CPU time; another script compares tables.
# Begins early: waits for a recording.
# All events of a recording of async-profiler, with their stack traces, and
# those without stack traces of a new recording equal `jfr print --json`; the
# number of events of each type equals `jfr summary`.
. tests/jvm/lib/jfr.sh
sjkc=$1 file=$2/some.jfr
jdk=$(jdks | tail -n 1)
[ -n "$jdk" ] || { echo 'no JDK with jfr'; exit 77; }
command -v python3 >/dev/null || { echo 'no python3'; exit 77; }

# same FILE EVENTS: EVENTS may be empty, for all.
same() {
	"$jdk/bin/jfr" -J-XX:TieredStopAtLevel=1 print --json --stack-depth 1000 \
		${2:+--events "$2"} "$1" >"$tmp/wanted"
	"$sjkc" jfr2json -q ${2:+-wl "$2"} "$1" >"$tmp/got" || return 1
	python3 tests/jvm/lib/jfr_json.py "$tmp/got" "$tmp/wanted"
}
tmp=$2
same tests/data/jfr/ap-lock.jfr '' || { echo 'events differ'; exit 1; }

record "$jdk" "$file" 1 -Xmx32m -XX:+UseSerialGC || exit 1
events=jdk.CPULoad,jdk.GarbageCollection,jdk.GCHeapSummary,jdk.ThreadCPULoad
events=$events,jdk.PhysicalMemory,jdk.JVMInformation,jdk.OSInformation
events=$events,jdk.InitialSystemProperty,jdk.ActiveSetting,jdk.BooleanFlag
events=$events,jdk.UnsignedLongFlag,jdk.LongFlag,jdk.DoubleFlag,jdk.StringFlag
events=$events,jdk.GCPhasePause,jdk.ExecuteVMOperation,jdk.Compilation
events=$events,jdk.CompilerConfiguration,jdk.GCConfiguration,jdk.ModuleExport
events=$events,jdk.ClassLoaderStatistics,jdk.MetaspaceSummary,jdk.ThreadEnd
same "$file" "$events" || { echo "$jdk: events differ"; exit 1; }

"$jdk/bin/jfr" -J-XX:TieredStopAtLevel=1 summary "$file" | awk '
	NF == 3 && $2 + 0 > 0 && $1 ~ /\./ { print $1, $2 }' |
	grep -v -i -e '^jdk\.Metadata ' -e '^jdk\.CheckPoint ' |
	sort >"$tmp/wanted"
"$sjkc" jfr2json --list-types "$file" | sort >"$tmp/got"
diff "$tmp/wanted" "$tmp/got" || { echo "$jdk: numbers differ"; exit 1; }
