# The JVM would take such an option as the file name of GC.heap_dump.
try() {
	sjkc jcmd "$@"
	echo "$?"
}
try -s 127.0.0.1:1 GC.heap_dump --force-hostname
try -s 127.0.0.1:1 GC.class_histogram -all --timeout=5s
try -s 127.0.0.1:1 -c GC.heap_dump --quiet
# Words quoted together with the command are for the JVM.
try -p 2147483647 'GC.heap_dump --quiet'
