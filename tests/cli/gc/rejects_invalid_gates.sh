exec 2>&1
try() {
	echo "-- $*"
	sjkc gc "$@" >out
	echo "exit status $?"
}
cp "$DATA/gc/jdk17-g1.log" gc.log
for gate in p99 'p99>' 'p99>200' 'p99>200m' 'p99>200 ms' 'p99<200ms' 'p99>-1ms' 'p99>nan' 'p98>1s' \
	'stopped>5' 'stopped>100%' 'full>0%' 'ful>0' '>1s' ''; do
	try gc.log --fail "$gate"
done
try gc.log --fail
try gc.log --junit out.xml
try gc.log --fail 'full>0' --junit -
try gc.log --fail 'full>0' --junit gc.log
try gc.log --fail 'full>0' --junit missing/out.xml
cmp gc.log "$DATA/gc/jdk17-g1.log"
