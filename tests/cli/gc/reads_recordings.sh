# JFR recordings; jfr print has the same times, causes and sizes.
exec 2>&1
export TZ=UTC
cp "$DATA/gc/"*.jfr.gz "$DATA/gc/jdk17-g1.log" .
gunzip -k ./*.gz
for file in jdk17-g1 jdk25-zgc; do
	echo "-- $file"
	sjkc gc -i $file.jfr.gz
done
echo "-- phases"
sjkc gc -q -i jdk25-zgc.jfr --json --safepoints >all.json
grep -o '"name":"[^"]*","level":[0-9]' all.json | LC_ALL=C sort | uniq -c |
	sed 's/^ *//'
echo "-- truncated"
head -c 500 jdk25-zgc.jfr | cat jdk17-g1.jfr - >cut.jfr
sjkc gc -i cut.jfr | tail -n 3
sjkc gc -q -i cut.jfr >out 2>&1
echo "exit status $?"
head -c 90 jdk17-g1.jfr >head.jfr
sjkc gc -i head.jfr
echo "exit status $?"
echo "-- a log and a recording"
sjkc gc -i jdk17-g1.jfr -i jdk17-g1.log
echo "exit status $?"
