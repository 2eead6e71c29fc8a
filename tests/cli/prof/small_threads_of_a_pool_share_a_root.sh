# A hundred small threads of one pool, three of another pool, and two threads
# with unique names.
thread() {
	printf '"%s" #%d prio=5 os_prio=0 tid=0x%x nid=0x%x %s\n' "$1" "$2" "$2" "$2" \
		'runnable [0x0]'
	printf '   java.lang.Thread.State: %s\n\tat %s(A.java:1)\n' "$3" "$4"
	printf '\tat java.lang.Thread.run(Thread.java:1)\n\n'
}
{
	printf '2026-11-21 08:40:22\nFull thread dump OpenJDK (25 mixed mode):\n\n'
	for i in $(seq 100); do
		thread "pool-1-thread-$i" "$i" WAITING 'a.Pool.take'
	done
	for i in 200 201 202; do
		thread "http-$i" $i RUNNABLE 'a.Http.serve'
	done
	thread alone 300 RUNNABLE 'a.Alone.run'
	thread other 301 RUNNABLE 'a.Other.run'
	echo 'JNI global refs: 1, weak refs: 0'
} >dump.txt
sjkc prof -t -i dump.txt --show calls --min-percent 2
sjkc prof -t -i dump.txt --show calls --min-percent 2 --csv
sjkc prof -t -i dump.txt --show calls --min-percent 2 --json | tr '{' '\n' |
	grep -E '"pool"|others'
