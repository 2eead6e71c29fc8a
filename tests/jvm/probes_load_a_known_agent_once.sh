# SPDX-License-Identifier: Apache-2.0
# Each JDK: each links native methods otherwise, and one of them counts loads.
# The first session of probes loads the agent twice, later ones once, because the
# JVM keeps a record of each load.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/probes.sh
target_program=Calls

# session: arms methods and takes the probes back
session() {
	probes_start 'Calls$*::*' arm disarm && probes_finish &&
		probes_left_nothing
}

# loads: the number of loads; JDK 21 and later tell it
loads() {
	"$sjkc" jcmd "$pid" VM.info >"$scratch/info" || return
	sed -n '/^JVMTI agents:/,/^$/p' "$scratch/info" |
		grep -c '/\.sjkc-[0-9a-f]*/agent-'
}

# loads_are NUMBER
loads_are() {
	[ "$feature" -ge 21 ] || return 0
	now=$(loads)
	[ "$now" -eq "$1" ] || { echo "$now loads, not $1"; return 1; }
}

for jdk in $(jdks); do
	feature=$("$jdk/bin/java" -XshowSettings:properties -version 2>&1 |
		sed -n 's/.*java.specification.version = //p')
	target "$jdk" -- hold=1 threads=1 calls=50 slow=0 || exit 1
	session && loads_are 2 && session && loads_are 3 &&
		session && loads_are 4 || exit 1
	target_end "$pid"
done
