# why judges dumps and GC logs, reads and compares its documents, and names inputs that
# it cannot judge.
run() {
	echo "-- $*"
	"$@" 2>&1
	status=$?
	[ $status -eq 0 ] || echo "status $status"
}
cp "$DATA/gc/jdk17-g1.log" slow.log
cp "$DATA/gc/jdk17-parallel.log" other.log
cp "$DATA/dumps/jstack-waits-jdk17.txt" dump.txt
run sjkc why slow.log
run sjkc why dump.txt dump.txt
sjkc why --json slow.log >slow.json
sjkc why --json other.log >other.json
echo '-- a document is the same as the log'
sjkc why slow.log >log.txt
sjkc why slow.json >document.txt
cmp log.txt document.txt
run sjkc why slow.json --against other.json
run sjkc why slow.json --against slow.json --exit-code
run sjkc why slow.json --exit-code -o /dev/null
echo text >text.log
run sjkc why text.log
run sjkc why slow.log text.log
run sjkc why slow.log -o out.html
run sjkc why slow.log --watch
run sjkc why --watch --json 1
head -c 500 slow.json >cut.json
run sjkc why cut.json
