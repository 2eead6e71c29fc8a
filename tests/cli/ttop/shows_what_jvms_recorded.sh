# Of JDK 17 with G1 and of JDK 25 with ZGC: four reports, a thread that begins
# amid them.
for recorded in jdk17-g1 jdk25-zgc; do
	sjkc ttop --replay "$DATA/ttop/$recorded.jsonl" -n 5
done
