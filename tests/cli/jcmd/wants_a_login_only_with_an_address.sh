try() {
	sjkc jcmd "$@"
	echo "$?"
}
try -p 2147483647 --user me
try 2147483647 --insecure
try -s 127.0.0.1:1 -p 2147483647
try -s 127.0.0.1:1 GC.class_histogram -all --help
try -s 127.0.0.1:1 -c PerfCounter.print
