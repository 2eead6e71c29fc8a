# SPDX-License-Identifier: Apache-2.0
# As in SJK, -pd and -fp match all system properties and flags.
scratch=$2
. tests/jvm/lib/target.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
sjkc=$1

# jps OPTION…: runs sjkc jps, with its output in $scratch/got
jps() {
	"$sjkc" jps --quiet -fd "Target $mark" -pd PID dos.name XMaxHeapSize \
		XNothing dgiven "$@" >"$scratch/got" 2>&1
}

tab=$(printf '\t')
for jdk in $(jdks); do
	# jps may attach only to this JVM, whichever others run.
	mark=asked-$$
	target "$jdk" -Dgiven=1 -- "$mark" || exit 1
	jps --no-attach
	wanted="$pid${tab}null${tab}null${tab}null${tab}1"
	[ "$(cat "$scratch/got")" = "$wanted" ] ||
		{ echo "wanted $wanted"; cat "$scratch/got"; exit 1; }
	[ ! -e "/tmp/.java_pid$pid" ] || { echo 'it was asked'; exit 1; }
	jps -fp "os.**=Linux" "user.dir=**"
	wanted="$pid${tab}Linux${tab}-XX:MaxHeapSize=67108864${tab}null${tab}1"
	[ "$(cat "$scratch/got")" = "$wanted" ] ||
		{ echo "wanted $wanted"; cat "$scratch/got"; exit 1; }
	jps -fp "os.name=Linux" "user.dir=nowhere"
	[ ! -s "$scratch/got" ] || { cat "$scratch/got"; exit 1; }
	target_end "$pid"
done
exit 0
