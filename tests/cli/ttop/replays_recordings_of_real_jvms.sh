# JDK 17 with G1 and JDK 25 with ZGC: four reports; a thread starts in between.
for recorded in jdk17-g1 jdk25-zgc; do
	sjkc ttop --replay "$DATA/ttop/$recorded.jsonl" -n 5
done
