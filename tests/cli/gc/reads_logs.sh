# Logs of several JDKs, with and without safepoint lines.
exec 2>&1
cd "$DATA/gc"
for file in jdk17-g1 jdk25-g1-utc jdk11-g1-none jdk8-parallel jdk8-cms; do
	echo "-- $file"
	TZ=UTC sjkc gc -i $file.log
done
echo "-- rotated, in the wrong order"
sjkc gc -i jdk25-rotated.log.1 -i jdk25-rotated.log.0 --safepoints
for file in failures zgc-stalls gc-locker; do
	echo "-- $file"
	sjkc gc --safepoints -i forms/$file.log
done
echo "-- with the prefixes of log collectors"
for file in kubectl-both.log docker-jdk8.json tanuki-jdk8.log; do
	sjkc gc -q -i forms/$file --csv | cut -d, -f 4-7,9,14
done
