# Sums of these weights exceed 64 bits.
weight=18000000000000000000
for i in 1 2 3; do
	printf 'java 7 [000] %d.000000: %s cycles: \n\t7f0000000000 work (/tmp/perf-7.map)\n\n' $i $weight
done >perf.txt
timeout 10 sjkc prfi -i perf.txt -o out.std -f cycles -u 1
sjkc ssa -q -f out.std --print | grep -c '^Thread'
