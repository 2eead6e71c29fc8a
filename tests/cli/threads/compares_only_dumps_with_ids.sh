# Dumps without thread ids; dumps after the reported one; threads by CPU use.

# dump HEADER: prints a dump; HEADER is a format of the Java id
dump() {
	printf 'Full thread dump X (1):\n\n'
	for i in 1 2 3; do
		printf '"t%s"' $i
		# shellcheck disable=SC2059 # a format
		printf "$1" $i
		printf '   java.lang.Thread.State: RUNNABLE\n'
		printf '\tat a.B.c(B.java:1)\n\n'
	done
	printf 'JNI global refs: 1\n\n'
}

# dumps_of REPORT: prints the analysis of each dump
dumps_of() {
	grep -o '"dumps":\[.*\],"threads":\[' "$1" |
		grep -o '"blocked":[^}]*}'
}

for _ in 1 2; do
	dump ' prio=5 tid=0x1 nid=0x0 runnable\n'
done >nameless.txt
sjkc threads nameless.txt >text
head -n 3 text
sjkc threads --json nameless.txt >json
dumps_of json
header='prio=5 os_prio=0 cpu=%s.00ms elapsed=%s.00s tid=0x1 nid=0x1 runnable'
for s in 1 2; do
	# shellcheck disable=SC2059 # a format
	dump " #%s $(printf "$header" $((s * s * 100)) $s)\n"
done >cpu.txt
sjkc threads -n 1 cpu.txt >text
sed -n '/^CPU use/,/^$/p' text
sjkc threads -n 0 cpu.txt >text
sed -n '/^CPU use/,/^$/p' text
sjkc threads --dump 1 --json cpu.txt >json
dumps_of json
