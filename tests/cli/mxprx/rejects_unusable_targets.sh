exec 2>&1
try() {
	sjkc mxprx "$@"
	echo "exit status $?"
}
# kubectl may be installed or not.
mkdir bin
ln -s "$(command -v sjkc)" bin/
PATH=$PWD/bin
try -b 0 -s localhost:9010 --kubectl web-0:9010
try -b 0 --kubectl web-0
try -b 0 --kubectl -n:9010
try -b 0 --kubectl web-0:9010
try -b 0 --kubectl web-0:9010 --proxy-command 'true'
try -b 0 -s localhost:9010 --proxy-command "ssh -W '{host}:{port} bastion"
try -b 0 -s localhost:9010 --proxy-command ''
try -b 0 -s localhost:9010 --proxy-command '{host} {port}'
try -b 0 -s localhost:9010 --proxy-command 'no-such-command {host} {port}'
try -b 0 -s localhost:9010 -p 1
try -p 1 --socks 0
try -b 0 -s localhost:9010 --namespace shop
try -s localhost:9010 --socks port
try -s localhost:9010 --socks 0.0.0.0:0
