# SPDX-License-Identifier: Apache-2.0
# What a sample says of a JVM's threads, beside what jcmd says of them.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/samples.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }

# of_jcmd: the same as java_threads, but for hostile names
of_jcmd() {
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

	# Left alone, it has not so much as opened its door.
	samples "$pid" no-attach sample
	has 'note names absent: '
	has_not ' java '
	if grep -q 'Attach Listener' "/proc/$pid/task"/*/comm ||
		[ -e "/tmp/.java_pid$pid" ]; then
		echo "$jdk: it was asked"
		exit 1
	fi

	# It says that it is ready before it is blocked: so more than once.
	for _ in $(seq 1 600); do
		samples "$pid" names=Thread.print stack=blocked-0 deadlocks
		! grep -q "$blocked" "$got" || break
	done
	grep -q "$blocked" "$got" ||
		{ echo "$jdk: nothing is BLOCKED:"; cat "$got"; exit 1; }
	# Compilers come and go; who carries a virtual thread has no nid.
	java_threads | grep -v 'CompilerThread\| ForkJoinPool-' >"$scratch/ours"
	of_jcmd | grep -v 'CompilerThread\| ForkJoinPool-' >"$scratch/jcmds"
	[ -s "$scratch/ours" ] || { echo "$jdk: no names"; exit 1; }
	diff "$scratch/ours" "$scratch/jcmds" ||
		{ echo "$jdk: names differ"; exit 1; }
	has 'note names given: Thread.print, '
	has_not ' unknown '
	grep -q " ns=$pid id=0 virtual=0 native .* name=java" "$got" ||
		{ echo "$jdk: the first thread is not native"; exit 1; }
	has '- waiting to lock <'
	has '(a java.lang.Object), held by "main" #'
	has 'Deadlock 1:'
	has 'Deadlock 2:'
	has '    which is held by "lock-deadlock-left"'
	# It is set down now and then: so more than once.
	for _ in $(seq 1 600); do
		! grep -q 'NO VIRTUAL THREADS' "$said" || break
		! grep -q ' virtual=[1-9][0-9]* java .* name=ForkJoinPool-1' \
			"$got" || break
		samples "$pid" names=Thread.print
	done
	grep -q ' virtual=[1-9][0-9]* java .* name=ForkJoinPool-1' "$got" ||
		grep -q 'NO VIRTUAL THREADS' "$said" ||
		{ echo "$jdk: nothing is carried"; exit 1; }
	target_end "$pid"
done
