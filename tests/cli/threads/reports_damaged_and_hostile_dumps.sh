# A truncated dump, a dump between log lines, dumps of two JVMs, hostile names,
# and input without a dump.
export TZ=UTC
dumps=$DATA/dumps
echo '-- cut'
head -c 20000 "$dumps/jcmd-threadprint-le-jdk17.txt" >cut.txt
sjkc threads -n 1 --frames 1 cut.txt 2>&1 | head -n 12
sjkc threads -q cut.txt >/dev/null 2>&1
echo "exit status $?"
echo '-- of two JVMs'
sjkc threads -n 1 --frames 1 "$dumps/jstack-waits-jdk17.txt" \
	"$dumps/jstack-waits-jdk28.txt" 2>&1 | sed "s,^$DATA/,," | head -n 8
echo '-- the first dump'
sjkc threads --dump 1 -n 1 --frames 1 "$dumps/log-with-kill3-jdk17.txt" 2>&1 |
	sed "s,^$DATA/,," | head -n 8
echo '-- hostile names'
printf '%s\n' 'Full thread dump X (1):' '' \
	"\"$(printf '\033[31mred')\" #1 tid=0x1 nid=1 runnable" \
	'   java.lang.Thread.State: BLOCKED' '	at a.B.c(B.java:1)' \
	'	- waiting to lock <0x1> (a evil<script>)' '' \
	'JNI global refs: 1' >hostile.txt
sjkc threads hostile.txt
echo '-- no dump'
echo 'main;work 1' >none.txt
sjkc threads none.txt 2>&1
echo "exit status $?"
sjkc threads --dump 9 hostile.txt 2>&1
echo "exit status $?"
$NO_JVM sjkc threads no-such-jvm-or-file 2>&1
echo "exit status $?"
echo '-- a page'
sjkc threads -o threads.html hostile.txt 2>&1
echo "exit status $?"
sed -n 's/.*<li class="thread">//p; /<li class="lock">/p' threads.html
sjkc threads --json -o threads.html hostile.txt 2>&1
echo "exit status $?"
sjkc threads -q -o cut.html cut.txt
echo "exit status $?"
grep Lost cut.html
