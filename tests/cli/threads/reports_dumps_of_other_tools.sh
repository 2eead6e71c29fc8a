# Of jhsdb, of a log with two dumps, of kill -3 on JDK 26, and of
# Thread.dump_to_file.
export TZ=UTC
for name in jhsdb-jdk17.txt jhsdb-mixed-jdk17.txt log-with-kill3-jdk17.txt \
	kill3-waits-jdk26.txt dump_to_file-jdk25.txt dump_to_file-jdk25.json; do
	sjkc threads -q -n 3 --frames 3 "$DATA/dumps/$name" |
		sed "s,^$DATA/,,"
	echo
done
