exec 2>&1
try() {
	echo "-- $*"
	sjkc diff -q "$@" >out
	echo "exit status $?"
}
printf 'a;b;c 1000\na;b;d 500\na;e 300\n' >1.txt
printf 'a;b;c 1200\na;b;d 501\na;f 299\n' >2.txt
printf 'a;b;c 10\na;b;d 5\na;e 4\n' >3.txt
printf 'a;b;c 13\na;b;d 5\na;e 4\n' >4.txt
echo "-- all results"
sjkc diff 1.txt 2.txt --fail-above 5 >out
head -n 2 out
sjkc diff 2.txt 1.txt --fail-above 16% >out
head -n 2 out
try 1.txt 2.txt --fail-above 5%
try 1.txt 2.txt --fail-above 10%
try 1.txt 2.txt --fail-above 16.62%
try 1.txt 2.txt --fail-above 0 --normalize none
try 1.txt 2.txt --fail-above 20% --normalize none
try 2.txt 1.txt --fail-above 0
echo "-- large, but within noise"
try 3.txt 4.txt --fail-above 1% --normalize none
echo "-- a recording with several events"
ln -s "$DATA/jfr/ap-lock.jfr" lock.jfr
try lock.jfr lock.jfr --fail-above 0%
try lock.jfr lock.jfr -e lock,park --fail-above 0% --json
try lock.jfr lock.jfr --fail-above 0% -o page.html
echo "-- invalid"
for limit in -1 nan 5%% x ''; do
	try 1.txt 2.txt --fail-above "$limit"
done
try 1.txt 2.txt --junit out.xml
try 1.txt 2.txt --fail-above 5% --junit 2.txt
