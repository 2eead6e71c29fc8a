# A report of any input notes fewer than 20 samples, unless the source records
# each event. It notes interpreted code from 5% on, if the input has its kind.
samples() { printf "a;b_[$2] 1\na;c_[j] $1\n"; }
perf_sample() {
	printf 'java 4711 100.500000: %s: \n\t7f0000001000 a (/x)\n\n' "$1"
}
samples 2 0 >3.txt
samples 18 0 >19.txt
samples 19 0 >20.txt
samples 19 1 >c1.txt
samples 20 0 >21.txt
sjkc flame -q -o 3.pb.gz 3.txt
sjkc flame -q -o 20.pb.gz 20.txt
perf_sample '250000 cpu-clock' >clock.perf
perf_sample '5000 cycles' >cycles.perf
perf_sample '1 sched:sched_switch' >switch.perf
perf_sample 'sched:sched_switch' >switches.perf
for input in 3.txt 19.txt 20.txt c1.txt 21.txt 3.pb.gz 20.pb.gz clock.perf \
	cycles.perf switch.perf switches.perf \
	"$DATA/dumps/jstack-jdk25.txt" "$DATA/jfr/ap-lock.jfr"; do
	echo "-- ${input##*/}"
	sjkc prof -i "$input" | sed -n 's/ of .*/:/; 1p; /^note/p'
done
