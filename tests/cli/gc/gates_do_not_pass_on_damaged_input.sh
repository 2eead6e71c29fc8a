# Also in the JUnit file, of which an earlier version is replaced.
exec 2>&1
try() {
	echo "-- $*"
	echo stale >junit.xml
	sjkc gc -q "$@" --junit junit.xml >out
	echo "exit status $?"
	python3 - <<-'P'
	import xml.etree.ElementTree
	for case in xml.etree.ElementTree.parse('junit.xml').iter('testcase'):
	    print(case.get('name'), [(e.tag, e.get('message')) for e in case])
	P
}
cp "$DATA/gc/jdk17-parallel.log" whole.log
head -c 1000 whole.log >cut.log
gzip -c whole.log | head -c 300 >cut.log.gz
head -n 1 whole.log >empty.log
: >nothing.log
try whole.log --fail 'longest>1s'
try cut.log --fail 'longest>1s'
try cut.log --fail 'longest>1s' --fail 'longest>100ms' --fail 'stopped>5%'
try cut.log.gz --fail 'full>5'
try empty.log --fail 'full>0' --fail 'p99>1s' --fail 'stopped>5%'
try nothing.log --fail 'full>0'
try -i missing.log --fail 'full>0'
try -i missing.log whole.log --fail 'longest>1s'
echo "-- records of --json"
sjkc gc -q --json whole.log >whole.json
head -c 3000 whole.json >cut.json
try cut.json --fail 'longest>1s'
echo "-- stdout is closed"
sjkc gc -q whole.log --fail 'longest>1s' --junit junit.xml >&-
echo "exit status $?"
