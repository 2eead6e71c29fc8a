echo 'main;work 3' >in.folded
try() {
	echo "-- $*"
	sjkc flame "$@" in.folded 2>&1
	echo "exit status $?"
}
try --force-jdk-parser
try --force-mc-parser
try --parsers-info
try --inverted
try --tree
try --highlight x
try --dot
try --jfr-event WAIT
try --jfr-event EXEC --event cpu
try --cpu=yes
try -tf 'a b'
try -tt 'a+b'
try -tn '['
try -tr '1-2'
try -tz 'Nowhere'
try -tr '10:00-20:00'
