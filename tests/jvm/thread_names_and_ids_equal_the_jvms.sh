# SPDX-License-Identifier: Apache-2.0
# The threads of a sample equal those of jcmd Thread.print.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/samples.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }

# jcmd_threads: prints the lines of java_threads from jcmd's thread dump
jcmd_threads() {
	"$jdk/bin/jcmd" "$pid" Thread.print |
		sed -n 's/^"\(.*\)" #\([0-9]*\) .* nid=\([0-9a-fx]*\) .*/\3 \2 \1/p' |
		while read -r nid rest; do
			echo "$((nid)) $rest"
		done | sort
}

blocked=' java BLOCKED .* alloc=[0-9]* .* name=blocked-0$'
for jdk in $(jdks); do
	target "$jdk" -- threads=3 blocked=1 parked=1 deadlock lockdeadlock \
		virtual=1 || exit 1

	# With no-attach, the JVM starts no attach listener.
	samples "$pid" no-attach sample
	samples_have 'note names absent: '
	samples_lack ' java '
	if grep -q 'Attach Listener' "/proc/$pid/task"/*/comm ||
		[ -e "/tmp/.java_pid$pid" ]; then
		echo "$jdk: a client attached"
		exit 1
	fi

	# The target prints READY before the thread is blocked, so try
	# repeatedly.
	for _ in $(seq 1 600); do
		samples "$pid" names=Thread.print stack=blocked-0 deadlocks
		! grep -q "$blocked" "$got" || break
	done
	grep -q "$blocked" "$got" ||
		{ echo "$jdk: nothing is BLOCKED:"; cat "$got"; exit 1; }
	# Compiler threads start and end on demand, and a carrier thread with a
	# virtual thread has no nid.
	java_threads | grep -v 'CompilerThread\| ForkJoinPool-' >"$scratch/ours"
	jcmd_threads | grep -v 'CompilerThread\| ForkJoinPool-' \
		>"$scratch/jcmds"
	[ -s "$scratch/ours" ] || { echo "$jdk: no names"; exit 1; }
	diff "$scratch/ours" "$scratch/jcmds" ||
		{ echo "$jdk: names differ"; exit 1; }
	samples_have 'note names given: Thread.print, '
	samples_lack ' unknown '
	grep -q " ns=$pid id=0 virtual=0 native .* name=java" "$got" ||
		{ echo "$jdk: the first thread is not native"; exit 1; }
	samples_have '- waiting to lock <'
	samples_have '(a java.lang.Object), held by "main" #'
	samples_have 'Deadlock 1:'
	samples_have 'Deadlock 2:'
	samples_have '    which is held by "lock-deadlock-left"'
	# The virtual thread is unmounted from time to time, so try repeatedly.
	for _ in $(seq 1 600); do
		! grep -q 'NO VIRTUAL THREADS' "$said" || break
		! grep -q ' virtual=[1-9][0-9]* java .* name=ForkJoinPool-1' \
			"$got" || break
		samples "$pid" names=Thread.print
	done
	grep -q ' virtual=[1-9][0-9]* java .* name=ForkJoinPool-1' "$got" ||
		grep -q 'NO VIRTUAL THREADS' "$said" ||
		{ echo "$jdk: no virtual thread is mounted"; exit 1; }
	target_end "$pid"
done
