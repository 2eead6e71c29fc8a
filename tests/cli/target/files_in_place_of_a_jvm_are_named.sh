# A file in place of a JVM, and files of a JVM that sjkc does not read.
cp "$DATA/dumps/jstack-jdk25.txt" dump.txt
echo 'main;work 5' >a.collapsed
echo '[0.1s][info][gc] GC(0) Pause Young (Normal) 2M->1M(8M) 1.5ms' >gc.log
printf ' num     #instances         #bytes  class name\n   1:  2  48  a.B\n' \
	>histogram.txt
echo 'a note' >note.txt
printf 'JAVA PROFILE 1.0.2\0\0\0\0\10' >heap.hprof
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0>\0\1\0\0\0' >core.1
cat >hs_err.log <<'END'
#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f12, pid=1, tid=2
#
# JRE version: OpenJDK Runtime Environment (17.0.9+9) (build 17.0.9+9)
# Problematic frame:
# C  [libc.so.6+0x16d5d3]
#
END
try() {
	$NO_JVM sjkc "$@" 2>&1 >/dev/null | sed "s,; no permission.*,,"
}
for file in dump.txt a.collapsed gc.log histogram.txt note.txt; do
	try vminfo "$file"
done
for file in heap.hprof core.1 hs_err.log; do
	echo "-- $file"
	for command in 'prof -i' flame 'gc -i' 'hh -i' threads 'ttop --replay' \
		'jfr2json -i' 'ssa --histo -f' 'stcpy -o o -i' 'prfi -o o -i' \
		'dexp --export-all -i' 'diff a.collapsed' jstack jcmd doctor; do
		echo "$command: $(try $command $file)"
	done
done
gzip heap.hprof
try flame heap.hprof.gz
