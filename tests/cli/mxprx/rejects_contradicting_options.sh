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
# Old spellings stay valid; --tls fails where TLS is unsupported.
try --socket localhost:9010 -b 0 --drain never
try --socket localhost:9010 -b 0 --via nc --max-clients-of-host 0
try -s localhost:9010 -b 0 --tls
try -p 1 -b 0 --tls --tls-cert nothing.pem
try --http 8778
try -s a:1 -s b:2 --http 8778
try --kubectl web-0:9010 --http 8778
try -s a:1 --proxy-command 'nc a 1' --http 8778
try -s a:1 --http 0.0.0.0:8778
try -s a:1 --http 8778 --bearer-file token
try -u http://a/jolokia -b 1 --http 8778
