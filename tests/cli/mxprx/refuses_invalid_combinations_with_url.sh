exec 2>&1
try() {
	sjkc mxprx "$@"
	echo "exit status $?"
}
try -u localhost:8778/jolokia -b 0
try -u http://u:p@localhost/jolokia -b 0
try -u 'http://localhost/jolokia?x=1' -b 0
try -u http://localhost:port/jolokia -b 0
try -u 'a b=http://localhost/jolokia' -b 0
try -u http://localhost/jolokia
try -u http://localhost/jolokia -b 0 -b 0
try -u http://localhost/jolokia -s localhost:9010 -b 0
try -u http://localhost/jolokia --socks 0
try -u http://localhost/jolokia -p 1 --kubectl web-0:8778 -b 0
try -u http://localhost/a http://localhost/b -b 0
try -u a=http://localhost/a b=http://localhost/b -b 0 --user admin
try -u a=http://localhost/a b=http://localhost/b a=http://localhost/c -b 0
try -u http://localhost/jolokia -b 0 --user admin --bearer-file token
try -u http://localhost/jolokia -b 0 --password-file password
try -u http://localhost/jolokia -b 0 --bearer-file nothing
try -u http://localhost/jolokia -b 0 --tls --tls-cert nothing.pem
try -u http://localhost/jolokia -b 0.0.0.0:0
try -s localhost:9010 -b 0 --user admin
try -s localhost:9010 -b 0 --allow-target localhost:9010
