# The message names a program that unpacks the input.
try() {
	printf "$1" >packed
	head -c 100 /dev/zero >>packed
	sjkc flame packed 2>&1
	echo "exit status $?"
}
try BZh9
try '7z\274\257\047\034'
try '\050\265\057\376' | cut -c 1-40
try '\050\265\057\375'
try '\004\042\115\030'
try '\375\067zXZ\000'
cat packed | sjkc prof -i - --format jfr 2>&1
