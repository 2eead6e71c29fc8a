# 40 samples without a unit, and 40 of 10 ms each: a frame that all samples of
# one side have is no noise.
printf 'main;old 40\n' >before.collapsed
for i in $(seq 10 49); do
	printf 'java 7 [000] 1.%s: 10000000 cpu-clock:\n' "$i"
	printf '\t7f12 new (/bin/x)\n\t7f13 main (/bin/x)\n\n'
done >after.txt
sjkc diff before.collapsed after.txt
