# Each option of SJK 0.23, in both spellings: it works, or the message names the
# alternative.
for at in 1 2 3; do
	for event in cycles:u cpu-clock; do
		printf 'java 7/8 %s.000000: 1000 %s: \n\t1 a.B.c (x)\n\n' "$at" "$event"
	done
done >perf.txt
try() {
	sjkc prfi -q "$@" >out 2>err
	echo "$* -> exit status $?, $(cat out)"
	head -n 1 err
}
try -i perf.txt -o out.std
try --input perf.txt --output out.std
try -i perf.txt -o out.std -f cpu-clock
try -i perf.txt -o out.std --filter cycles:u
try -i perf.txt -o out.std -f absent
try -i perf.txt -o out.std -u 1
try -i perf.txt -o out.std --upscale 2.5
try -i - -o out.std <perf.txt
try -i perf.txt -o out.std -X
try -i perf.txt -o out.std --verbose
try -i perf.txt -o out.std --commands
