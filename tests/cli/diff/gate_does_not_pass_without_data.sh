# Also in the JUnit file, of which an earlier version is replaced.
exec 2>&1
try() {
	echo "-- $*"
	echo stale >junit.xml
	sjkc diff -q "$@" --junit junit.xml >out
	echo "exit status $?"
	python3 - <<-'P'
	import xml.etree.ElementTree
	for case in xml.etree.ElementTree.parse('junit.xml').iter('testcase'):
	    print(case.get('name'), [(e.tag, e.get('message')) for e in case])
	P
}
printf 'a;b;c 1000\na;b;d 500\n' >1.txt
printf 'a;b;c 1200\na;b;d 501\n' >2.txt
echo 'a;b;c 9' >few.txt
: >empty.txt
try 1.txt 1.txt --fail-above 5%
try 1.txt few.txt --fail-above 5%
try few.txt 1.txt --fail-above 5%
try 1.txt empty.txt --fail-above 5%
try 1.txt missing.txt --fail-above 5%
try 1.txt 2.txt --fail-above 5% -I '^nothing$'
try 1.txt 2.txt --fail-above 5% -I '^x$' -e collapsed
echo "-- damaged"
awk 'BEGIN { for (i = 0; i < 3000; i++) print "main;work" i * 7919 % 3001 ";leaf " i % 7 + 1 }' |
	gzip -n >whole.gz
head -c $(($(wc -c <whole.gz) * 9 / 10)) whole.gz >cut.gz
try whole.gz cut.gz --fail-above 5% 2>&1 | sed 's/[0-9]\{3,\}/N/g'
try cut.gz 2.txt --fail-above 5% 2>&1 | sed 's/[0-9]\{3,\}/N/g'
echo "-- other events"
ln -s "$DATA/jfr/ap-lock.jfr" lock.jfr
try lock.jfr 1.txt --fail-above 5%
try lock.jfr 1.txt --fail-above 5% -e lock
