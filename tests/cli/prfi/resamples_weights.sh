# Two threads: the first has three times the weight of the second.
cat >perf.txt <<'END'
java 11 1.000000:        100 cycles: 
	    7f4638facdf0 int a.B.c()+0x10 (/tmp/perf-11.map)

java 11 2.000000:        200 cycles: 
	    7f4638facdf1 int a.B.d()+0x10 (/tmp/perf-11.map)

other 12 1.500000:        100 cycles: 
	    7f4638facdf2 int a.B.e()+0x10 (/tmp/perf-11.map)

java 11 3.000000:        5 faults: 
	    7f4638facdf0 int a.B.c()+0x10 (/tmp/perf-11.map)

END
sjkc prfi -i perf.txt -o out.std
sjkc ssa -f out.std --thread-info -si NAME COUNT
sjkc ssa -f out.std --histo -co
echo '-- from standard input, another event'
sjkc prfi -q -i - -o out.std -f faults -u 1 <perf.txt
sjkc ssa -f out.std --print
echo '-- errors'
sjkc prfi -i perf.txt 2>&1
sjkc prfi -i perf.txt -o out2.std -f nothing 2>&1
sjkc prfi -i perf.txt -o out2.std -u 0 2>&1
sjkc prfi -i perf.txt -o out2.std -u 1000 2>&1
ls
