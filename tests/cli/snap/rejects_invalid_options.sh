exec 2>&1
try() {
	echo "-- $*" | sed "s/ $$/ PID/"
	sjkc snap "$@" >out 2>&1
	status=$?
	sed "s/\b$$\b/PID/g" out
	echo "exit status $status"
}
try $$
try 2147483647
try --all 4711
try --all -p 4711
try --max-size x 4711
try --max-size 0 4711
try --exec
