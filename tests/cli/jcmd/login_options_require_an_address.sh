try() {
	sjkc jcmd "$@"
	echo "$?"
}
try -p 2147483647 --user me
try 2147483647 --insecure
try -s 127.0.0.1:1 -p 2147483647
try -s 127.0.0.1:1 GC.class_histogram -all --help
try -s 127.0.0.1:1 -c PerfCounter.print
# As with the other JMX commands, an address works without -s.
try 127.0.0.1:1 VM.version
try 127.0.0.1:1 VM.version --insecure
try -s 127.0.0.1:1 --timeout 0 VM.version
try -s 127.0.0.1:1 ' '
