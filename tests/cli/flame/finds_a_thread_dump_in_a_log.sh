# The dump starts after the bytes that detect the format. sjkc does not search
# binary input.
dump() {
	cat <<-'END'
	2026-11-21 10:07:30
	Full thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):

	"main" #1 prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x1 nid=0x11 runnable  [0x1]
	   java.lang.Thread.State: RUNNABLE
		at app.Main.main(Main.java:4)

	JNI global refs: 15, weak refs: 0

	END
}
# log BYTES
log() {
	yes '2026-11-21 10:07:29,123 INFO  [main] app.Main - still; here' |
		head -c "$1"
	echo
}
(log 900000 && dump) >late.log
(log 2000000 && dump) >later.log
(printf 'a\0b\n' && log 9000 && dump) >binary.log
log 9000 >dumpless.log
for input in late later binary dumpless; do
	echo "-- $input"
	sjkc flame -q -o - --output-format collapsed $input.log 2>&1
done
echo '-- later, by its format'
sjkc flame -q --format jstack -o - --output-format collapsed later.log
echo '-- collapsed, a line longer than the head'
(printf 'main;%05000d;work 3\n' 0 && echo 'main;rest 4') >long.txt
sjkc flame -q -o - --output-format collapsed long.txt | sed 's/0000*/0…/'
