# SPDX-License-Identifier: Apache-2.0
# jps, jcmd -l, jstat, jmap and jstack print the same as the JDK's tools.
sjkc=$1
scratch=$2
# The JDK's jps waits for the file systems of all JVMs.
[ "$(id -u)" -ne 0 ] || . tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh
jdk=$(jdks | head -n 1)
[ -n "$jdk" ] || { echo 'no JDK'; exit 77; }
target "$jdk" -Dname=value -- threads=2 || exit 1

# same NAME OURS THEIRS: fails unless both commands print the same.  It tries
# five times, because the JVM may change between the two.
same() {
	for _ in 1 2 3 4 5; do
		eval "$2" >"$scratch/ours" 2>"$scratch/err"
		eval "$3" >"$scratch/theirs" 2>>"$scratch/err"
		cmp -s "$scratch/ours" "$scratch/theirs" &&
			[ -s "$scratch/ours" ] && return
	done
	echo "$1 is not that of the JDK:"
	diff "$scratch/ours" "$scratch/theirs"
	cat "$scratch/err"
	exit 1
}

for options in -l -m -lm -lmv; do
	same "jps $options" "$sjkc jps $options | grep '^$pid '" \
		"$jdk/bin/jps $options | grep '^$pid '"
done
same 'jps -q' "$sjkc jps -q | grep -x $pid" "$jdk/bin/jps -q | grep -x $pid"
same 'jcmd -l' "$sjkc jcmd -l | grep '^$pid '" \
	"$jdk/bin/jcmd -l | grep '^$pid '"
same jcmd "$sjkc jcmd | grep '^$pid '" "$jdk/bin/jcmd | grep '^$pid '"

# The first collections fill the counters.
for _ in 1 2; do
	"$sjkc" jcmd "$pid" GC.run >"$scratch/gc" || exit 1
done
for option in -gcutil -gc -gccause -class; do
	same "jstat $option" "$sjkc jstat $option $pid" \
		"$jdk/bin/jstat $option $pid"
done
grep -q '^ *[0-9.]' "$scratch/ours" || { cat "$scratch/ours"; exit 1; }
"$sjkc" jstat -gcutil -t -h 2 "$pid" 10 4 >"$scratch/ours" || exit 1
lines=$(grep -c '^Timestamp .*GCT' "$scratch/ours")
{ [ "$lines" -eq 2 ] && [ "$(wc -l <"$scratch/ours")" -eq 6 ]; } ||
	{ echo 'not two headers and four lines:'; cat "$scratch/ours"; exit 1; }

# objects: selects the rows of classes whose number of objects does not change.
objects() {
	grep -E ' java\.lang\.(Class|Thread) ' | awk '{ print $2, $3, $4 }'
}
same 'jmap -histo:live' "$sjkc jmap -histo:live $pid | objects" \
	"$jdk/bin/jmap -histo:live $pid | objects"
same 'jmap -histo' "$sjkc jmap -histo $pid | objects" \
	"$jdk/bin/jmap -histo $pid | objects"
same 'jstack -l -e' "$sjkc jstack -l -e $pid | grep -c '^\"'" \
	"$jdk/bin/jstack -l -e $pid | grep -c '^\"'"

# jstat ends with the JVM and exits with 0.
"$sjkc" jstat -gcutil "$pid" 100 >"$scratch/ours" 2>"$scratch/err" &
watcher=$!
target_wait "$scratch/ours" GCT || exit 1
target_end "$pid"
wait "$watcher" || { echo "jstat: exit status $?"; cat "$scratch/err"; exit 1; }
grep -q "$pid has exited" "$scratch/err"
