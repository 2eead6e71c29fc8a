exec 2>&1
try() {
	sjkc mxping "$@"
	echo "exit status $?"
}
try
try -s localhost
try -s localhost:0
try -s localhost:65536
try -s localhost:web
try -s ::1:9010
try -s localhost:9010 localhost:9011
try -s localhost:9010 --timeout 0s
