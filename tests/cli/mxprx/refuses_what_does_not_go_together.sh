exec 2>&1
try() {
	sjkc mxprx "$@"
	echo "exit status $?"
}
try
try -s localhost:9010
try -s localhost:9010 -b 0 -b 0
try -s localhost -b 0
try -s localhost:9010 -b port
try -s localhost:9010 -b 65536
try -s localhost:9010 -b 0 localhost:9011
try -s localhost:9010 -b 0 --cacert nothing.pem
