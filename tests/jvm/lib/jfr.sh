# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by tests that compare sjkc with the JDK's `jfr`.  The tools run for
# about a second, so they are compiled by C1 only.
jdks_tool=jfr
. tests/jvm/lib/jdks.sh

# record JDK FILE SECONDS [OPTION...]: records Recorded.java for SECONDS.  A
# shell without job control starts background commands with SIGINT and SIGQUIT
# ignored; env resets them, because a JVM would inherit that.
record() {
	home=$1 file=$2 seconds=$3
	shift 3
	timeout 300 env --default-signal=QUIT,INT "$home/bin/java" \
		-Xlog:disable -Xlog:all=error:stderr "$@" \
		-XX:StartFlightRecording:filename="$file",settings=profile \
		tests/jvm/lib/Recorded.java "$seconds"
}

# summary JDK FILE: prints "name count" for each event with a stack trace,
# sorted. JDK 9 puts com.oracle. before the names of these events.
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

# counts SJKC FILE: prints the same lines from sjkc's list of events.
counts() {
	"$1" flame -q --list-events --json "$2" |
		sed 's/{"name"/\n&/g' |
		sed -n 's/^{"name":"\([^"]*\)","samples":\([0-9]*\),.*/\1 \2/p' |
		sort
}

# same_counts SJKC JDK FILE: fails and prints the differences if the two lists
# differ.
same_counts() {
	summary "$2" "$3" >"$3.wanted"
	counts "$1" "$3" >"$3.got"
	[ -s "$3.wanted" ] || { echo "$2: jfr summary found nothing"; return 1; }
	diff "$3.wanted" "$3.got" || { echo "$2: counts differ"; return 1; }
}
