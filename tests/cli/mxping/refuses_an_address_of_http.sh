exec 2>&1
try() {
	sjkc "$@"
	echo "exit status $?"
}
try mxping -s http://127.0.0.1:8080/jolokia
try mx -s HTTPS://127.0.0.1:8080/jolokia -b 'x:y=z' --get
try mxdump http://127.0.0.1:8080/jolokia
