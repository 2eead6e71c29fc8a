# The cause, the next step and the evidence of a crash.
for log in jdk8-unsafe jdk17-hsperfdata jdk25-compiler; do
	echo "-- $log"
	sjkc why "$DATA/hs_err/$log.log"
done
echo '-- the head of a log on standard output, in a container'
sed 's/^/2026-05-03T16:12:41.1Z stdout F /; /^.*F $/q' \
	"$DATA/hs_err/jdk28-java-heap.log" | sjkc why -
echo '-- truncated'
head -c 3000 "$DATA/hs_err/jdk21-mapped-file.log" >cut.log
sjkc why cut.log 2>&1
echo "status $?"
echo '-- JSON'
sjkc why --json -o why.json "$DATA/hs_err/jdk25-kill.log"
tr , '\n' <why.json | grep -E '"(schema|rule|cause|sender_pid|core_written)"'
echo '-- refused'
sjkc why -d 5s cut.log 2>&1
sjkc why --exit-code cut.log 2>&1
echo text >text.log
sjkc why text.log 2>&1
echo "status $?"
