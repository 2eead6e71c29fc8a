exec 2>&1
try() {
	echo "sjkc $*"
	sjkc "$@" || :
}
u=http://127.0.0.1:1/jolokia
echo token >token
try mx -u localhost:8778 -b a:b=c --get
try mx -u $u -s localhost:9010 -b a:b=c --get
try mxdump -u $u -p 1
try mxdump -u $u --force-port
try mxdump -u $u --user me --password-file token --bearer-file token
try mxdump -u $u -H 'Authorization: Bearer abc'
try mxdump -u $u -H nonsense
try mxdump -u $u --bearer-file missing
try mxdump -u $u --tls
try mxdump -u $u --key token
try mxdump -u $u --tls-server-name shop:8443
try mxdump -s localhost:9010 --tls-server-name 'a b'
try mxdump -s localhost:9010 --bearer-file token
try mxdump -s localhost:9010 -H 'A: b'
try mxdump -p 1 --http-proxy http://127.0.0.1:1
try mxdump -u http://me:secret@127.0.0.1:1/jolokia
try mxdump -u http://127.0.0.1:0/jolokia
try ttop -u $u -p 1
try ttop -u $u --replay token
try jcmd -u $u -s localhost:9010 VM.version
try mxdump -u $u
try mxdump HTTP://127.0.0.1:1/jolokia
