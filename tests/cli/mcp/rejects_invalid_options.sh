# Rights, users, directories and JVMs that the server cannot use end it at the start.
run() {
	echo "-- $*"
	$NO_JVM sjkc mcp "$@" 2>&1
	echo "status $?"
}
run --allow stop,heap
run --allow files
run --user no-such-user
run --user 12x
run --dir missing
run --pid 999999999
run Main
# A client that closes its end at once.
run --user 0 --allow stop,load --allow probe
