# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by tests that compare with the JDK's own tool, `jfr`.  Tools that run
# for a second need no better code than a JVM's first.
jdks_tool=jfr
. tests/jvm/lib/jdks.sh

# record JDK FILE SECONDS [OPTION...]: what Recorded.java does for that long.
# A job of a shell without job control has SIGINT and SIGQUIT ignored: a JVM
# must not start so.
record() {
	home=$1 file=$2 seconds=$3
	shift 3
	timeout 300 env --default-signal=QUIT,INT "$home/bin/java" \
		-Xlog:disable -Xlog:all=error:stderr "$@" \
		-XX:StartFlightRecording:filename="$file",settings=profile \
		tests/jvm/lib/Recorded.java "$seconds"
}

# summary JDK FILE: the events with a stack trace, "name count", sorted.  JDK 9
# called them com.oracle.jdk.
summary() {
	"$1/bin/jfr" -J-XX:TieredStopAtLevel=1 metadata "$2" | awk '
		/^@Name\("/ { name = $0; gsub(/^@Name\("|"\).*$/, "", name) }
		/^class .* extends jdk.jfr.Event/ { event = 1 }
		/^}/ { event = 0 }
		event && / StackTrace stackTrace/ { print name }' |
		sort >"$2.types"
	"$1/bin/jfr" -J-XX:TieredStopAtLevel=1 summary "$2" | awk '
		NF == 3 && $2 + 0 > 0 && $1 ~ /\./ { print $1, $2 }' |
		sort | join "$2.types" - | sed 's/^com\.oracle\.//' | sort
}

# counts SJKC FILE: the same, as sjkc lists them.
counts() {
	"$1" flame -q --list-events --json "$2" |
		sed 's/{"name"/\n&/g' |
		sed -n 's/^{"name":"\([^"]*\)","samples":\([0-9]*\),.*/\1 \2/p' |
		sort
}

# same_counts SJKC JDK FILE: says what differs, and fails then.
same_counts() {
	summary "$2" "$3" >"$3.wanted"
	counts "$1" "$3" >"$3.got"
	[ -s "$3.wanted" ] || { echo "$2: jfr summary found nothing"; return 1; }
	diff "$3.wanted" "$3.got" || { echo "$2: counts differ"; return 1; }
}
