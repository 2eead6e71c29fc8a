# SPDX-License-Identifier: Apache-2.0
# The JVM belongs to another user and has its own namespaces.
scratch=$2
. tests/jvm/lib/target.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }

# expect STATUS TEXT COMMAND…: runs the command, with its output in
# $scratch/got, and fails unless it exits with STATUS and prints TEXT
expect() {
	wanted=$1 what=$2
	shift 2
	"$@" >"$scratch/got" 2>&1
	status=$?
	[ $status -eq "$wanted" ] && grep -Eq -- "$what" "$scratch/got" && return
	echo "$*: exit status $status, wanted $wanted and: $what"
	cat "$scratch/got"
	exit 1
}

# jps attaches to all JVMs that match.  The pattern excludes JVMs of other
# tests, which may be about to be stopped.
mark=seen-$$
for jdk in $(jdks); do
	version=$(sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$jdk/release")
	target_contained "$jdk" -Dmy.token=x -- waiters=1 $mark \
		"$(printf 'a\033[2J')" ||
		exit 1
	expect 0 "^$pid,1,4321,[^,]*,$version,Target,waiters=1 $mark a" \
		"$1" jps --quiet --csv
	expect 0 "^ *$pid +1 +4321 .* Target +waiters=1 $mark a␛\[2J" "$1" jps --quiet
	expect 0 "^$pid	Target	$version	\*\*\*	-XX:\+UseSerialGC" "$1" jps --quiet \
		-pd PID MAIN djava.version dmy.token XUseSerialGC -fd "T* $mark *"
	expect 0 'works: .*jcmd' "$1" doctor "$pid"
	grep -q "own: mnt, pid, user; pid inside: 1" "$scratch/got" ||
		{ cat "$scratch/got"; exit 1; }
	target_end "$pid"

	tmp_options=ro
	target_contained "$jdk" || exit 1
	expect 5 '^failed +/tmp' "$1" doctor "$pid"
	# Without performance counters, the version comes from a file of the
	# JDK.
	expect 0 "^$pid,1,4321,[^,]*,$version,Target," "$1" jps --quiet --csv
	target_end "$pid"
	tmp_options=rw
done
exit 0
