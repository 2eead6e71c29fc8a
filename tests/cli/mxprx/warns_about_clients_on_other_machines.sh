exec 2>&1
try() {
	timeout 5 sjkc mxprx -s 127.0.0.1:1 "$@"
	echo "exit status $?"
}
try -b 0.0.0.0:0
try -b 0.0.0.0:0 --allow 10.0.0.1/8
try -b 0.0.0.0:0 --allow everybody
try -b 0 --tls-key key.pem
try -b 0 --max-clients 0
