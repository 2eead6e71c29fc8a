exec 2>&1
try() {
	echo "-- $*" | sed "s/ $$/ PID/"
	sjkc gc "$@" >out 2>&1
	status=$?
	sed "s/\b$$\b/PID/g" out
	echo "exit status $status"
}
try $$
try --json --csv $$
try --json --histogram $$
try --csv --histogram $$
try --source nothing $$
try --all 4711 5s
try --duration 5s 4711 5s
try --min x 4711
try --duration x 4711
try 2147483647 5s
try --phses $$
try -o out.svg -i /dev/null
try -o - -i /dev/null
try -o missing/out.html -i /dev/null
try -i gc.log -s db1:9010
for live in '-d 5s' --log --no-heap-uprobe '--source jmx' '--timeout 1s' --tls; do
	# shellcheck disable=SC2086 # words
	try -i gc.log $live
done
try -s db1:9010 4711
