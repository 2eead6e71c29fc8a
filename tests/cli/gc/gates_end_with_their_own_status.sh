exec 2>&1
try() {
	echo "-- $*"
	sjkc gc -q "$@" >out
	echo "exit status $?"
}
cp "$DATA/gc/jdk17-g1.log" gc.log
cp "$DATA/gc/jdk8-cms.log" without-stopped.log
cp "$DATA/gc/jdk25-g1-utc.log" ends-in-a-pause.log
echo "-- all results"
sjkc gc gc.log --fail 'p99>200ms' --fail 'p50 >= 1s' --fail 'stopped>5%' \
	--fail 'full>0' --fail 'pauses>9' | grep -v '^[0-9]' | tail -n 5
sjkc gc gc.log --fail 'p99>200ms' >out
echo "exit status $?"
try gc.log --fail 'p99>346ms' --fail 'max>346ms' --fail 'p50>100.3ms'
try gc.log --fail 'pauses>9' --fail 'full>3' --fail 'stopped>13.9%'
try gc.log --fail 'pauses>=9' --fail 'full>=3' --fail 'stopped>=13.8%'
try gc.log --json --fail 'longest>1us'
try without-stopped.log --fail 'longest>125ms'
try without-stopped.log --fail 'longest>1s'
try without-stopped.log --fail 'stopped>5%'
try ends-in-a-pause.log --fail 'p50>1s' --fail 'full>2'
try ends-in-a-pause.log --fail 'longest>1s'
try ends-in-a-pause.log --fail 'longest>100ms'
