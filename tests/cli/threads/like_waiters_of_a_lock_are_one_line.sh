# Threads of a pool that wait for one lock in the same frame are one line. -n 0,
# -v and JSON list each of them.
trap 'rm -f threads-dump.txt' EXIT
{
	echo 'Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):'
	printf '\n"loader" #9 prio=5 tid=0x9 nid=0x9 runnable [0x0]\n'
	echo '   java.lang.Thread.State: RUNNABLE'
	printf '\tat a.Cache.read(Cache.java:3)\n'
	printf '\t- locked <0x00000000ffd00001> (a a.Cache)\n'
	for i in 1 2 3 4 5; do
		printf '\n"http-worker-%s" #1%s prio=5 tid=0x1%s nid=0x1%s' \
			"$i" "$i" "$i" "$i"
		echo ' waiting for monitor entry [0x0]'
		echo '   java.lang.Thread.State: BLOCKED (on object monitor)'
		printf '\tat a.Cache.load(Cache.java:7)\n'
		printf '\t- waiting to lock <0x00000000ffd00001> (a a.Cache)\n'
	done
	printf '\nJNI global refs: 1, weak refs: 0\n'
} >threads-dump.txt
sjkc threads threads-dump.txt | sed -n '/^Blocked/p;/^  holds/,/^$/p'
for all in '-n 0' -v '--json'; do
	echo "$all: $(sjkc threads $all threads-dump.txt |
		grep -o '"http-worker-[1-5]"' | wc -l)"
done
