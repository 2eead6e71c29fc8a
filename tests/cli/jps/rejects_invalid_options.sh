exec 2>&1
try() {
	sjkc jps "$@"
	echo "exit status $?"
}
try Main
try --csv --json
try -pd PID NOTHING
try -pd d
