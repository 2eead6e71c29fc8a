try() {
	sjkc mxdump "$@"
	echo "$?"
}
try
try -s 127.0.0.1:1 -p 1
try -s 127.0.0.1:1 -q nothing
try 127.0.0.1:1
try service:jmx:rmi:///jndi/rmi://127.0.0.1:1/jmxrmi
try service:jmx:nothing://127.0.0.1:1
try 2147483647
try 127.0.0.1:1 -o file
[ ! -e file ] || echo 'a file is left'
try 127.0.0.1:1 --timeout 0
try 127.0.0.1:1 --prometheus -q a:b=c:
try 127.0.0.1:1 --prometheus -q a:b=c:D,,E
