# SPDX-License-Identifier: Apache-2.0
# Each JDK: the tables of libjvm differ.
# A JVM whose user has no name, as in most pods, and one that was told not to
# share its counters have them in their memory only.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }

# has TEXT COMMAND…: fails unless sjkc exits with 0 and prints a line with TEXT
has() {
	wanted=$1
	shift
	"$sjkc" "$@" >"$scratch/got" 2>&1
	status=$?
	[ $status -eq 0 ] && grep -Eq -- "$wanted" "$scratch/got" && return
	echo "sjkc $*: status $status, wanted 0 and $wanted"
	cat "$scratch/got"
	return 1
}

# names: the names of the counters that do not depend on the time or the user
names() { "$sjkc" vminfo --perf "$pid" | sed 's/[:= ].*//' | grep '^sun\.gc' | sort; }

# The JVM's own commands count its collections.
works() {
	names >"$scratch/names"
	cmp "$scratch/names" "$scratch/wanted" || return
	for _ in 1 2 3; do
		"$sjkc" jcmd "$pid" GC.run || return
	done
	has '^sun.gc.collector.1.invocations: 3 events' vminfo --perf "$pid" &&
		has ' 3  +[0-9.]+ ' jstat -gcutil "$pid" &&
		has 'GC time=' ttop "$pid" -b -ri 1s --iterations 2 &&
		has 'hsperfdata counters, read every' gc "$pid" 1s --source counters &&
		has '^ok +counters +[0-9]+, read' doctor "$pid" || return
	target_end "$pid"
}

check() {
	target "$1" || return
	names >"$scratch/wanted"
	[ -s "$scratch/wanted" ] || { echo 'no names'; return 1; }
	target_end "$pid"
	target "$1" -XX:+PerfDisableSharedMem && works || return
	within='setpriv --reuid=45678 --regid=45678 --clear-groups --inh-caps=-all'
	target "$1" && works || return
	within=
	target "$1" -XX:-UsePerfData || return
	"$sjkc" jstat -gcutil "$pid" >"$scratch/got" 2>&1
	[ $? -eq 8 ] && grep -q 'was started with -XX:-UsePerfData' "$scratch/got" ||
		{ cat "$scratch/got"; return 1; }
	# This is not a failure.
	has '^failed +counters +.*-XX:-UsePerfData' doctor "$pid" || return
	target_end "$pid"
}

for_each_jdk check
