# They would be the JVM's: the name of the file that its heap is written to.
try() {
	sjkc jcmd "$@"
	echo "$?"
}
try -s 127.0.0.1:1 GC.heap_dump --force-hostname
try -s 127.0.0.1:1 GC.class_histogram -all --timeout=5s
try -s 127.0.0.1:1 -c GC.heap_dump --quiet
# What is quoted with the command is meant for the JVM.
try -p 2147483647 'GC.heap_dump --quiet'
