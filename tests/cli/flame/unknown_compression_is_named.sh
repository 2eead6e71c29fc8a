# Only gzip is unpacked; the message names a program that unpacks the others.
try() {
	printf "$1" >packed
	head -c 100 /dev/zero >>packed
	sjkc flame packed 2>&1
	echo "exit status $?"
}
try '\050\265\057\375'
try '\004\042\115\030'
try '\375\067zXZ\000'
try BZh9
try 'PK\003\004'
try '\050\265\057\376' | cut -c 1-40
cat packed | sjkc prof -i - --format jfr 2>&1
