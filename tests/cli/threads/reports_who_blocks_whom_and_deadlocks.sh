# Dumps of JDK 8, 17 and 25, one with the owners of java.util.concurrent locks
# (-l). The JVM's list of deadlocks has owners even without -l.
export TZ=UTC
for name in jstack-waits-jdk8 jcmd-threadprint-le-jdk17 jstack-jdk25; do
	sjkc threads -n 4 --frames 5 "$DATA/dumps/$name.txt" |
		sed "s,^$DATA/,,"
	echo
done
