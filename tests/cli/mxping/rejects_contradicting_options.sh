exec 2>&1
try() {
	sjkc mxping "$@"
	echo "exit status $?"
}
try -s localhost:9010 -p 1
try -s localhost:9010 --password-file /dev/null
try -s localhost:9010 --password secret
try -s localhost:9010 --key key.pem
try -s localhost:9010 --cacert /nonexistent.pem
try -s service:jmx:rmi://localhost/nowhere
try -p 999999999
