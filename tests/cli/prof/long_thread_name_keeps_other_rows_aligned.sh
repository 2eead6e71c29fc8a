long=$(printf '%0300d' 0 | sed 's/0/thread/g')
{
	echo "Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):"
	echo
	for _ in 1 2 3 4 5; do
		printf '"short" #1 prio=5 tid=0x01 nid=0x1a runnable\n'
		printf '   java.lang.Thread.State: RUNNABLE\n'
		printf '\tat a.B.c(B.java:1)\n\n'
	done
	printf '"%s" #2 prio=5 tid=0x02 nid=0x1b runnable\n' "$long"
	printf '   java.lang.Thread.State: RUNNABLE\n'
	printf '\tat a.B.d(B.java:1)\n\n'
	echo "JNI global refs: 1, weak refs: 0"
} >in.txt
sjkc prof --show threads -i in.txt >out.txt
grep -o 'short.*' out.txt | awk '{ print (length($0) < 100 ? "short" : "moved") }'
awk '/threadthread/ { print (length($0) > 1800 ? "whole" : "cut") }' out.txt
