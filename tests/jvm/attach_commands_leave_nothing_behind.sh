# SPDX-License-Identifier: Apache-2.0
# jcmd and jstack print the JVM's replies, report its refusals, and reach it
# even after its socket was removed (JDK-8225690).  They leave no file behind.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

commands() {
	ask 0 jcmd -v "$pid" VM.version || return
	printed 'VM version' && said 'HotSpot, protocol' || return
	ask 0 jcmd "$pid" && printed 'GC.heap_dump' || return
	ask 0 jcmd "$pid" help GC.class_histogram && printed '-all' || return
	ask 0 jcmd -p "$pid" -c GC.class_histogram -all &&
		printed '#instances' || return
	ask 5 jcmd "$pid" No.such && printed_nothing &&
		said "the JVM has no command 'No.such'; \`sjkc" || return
	ask 5 jcmd "$pid" GC.heap_dum && printed_nothing &&
		said "no command 'GC.heap_dum'; did you mean 'GC.heap_dump'?" &&
		ask 5 jcmd "$pid" GC.heap_dump &&
		said "$pid: the JVM refused: The argument 'filename' is man" &&
		said "help GC.heap_dump\` lists its arguments" || return
	ask 2 jcmd "$pid" PerfCounter.print && said "JDK's jcmd" || return
	# An argument with a space is quoted for the JVM's parser.
	ask 0 jcmd "$pid" GC.heap_dump "$scratch/a heap.hprof" &&
		[ -s "$scratch/a heap.hprof" ]
}

# thread_names: prints the thread names of a thread dump, without the threads
# that HotSpot starts and ends on demand.
thread_names() {
	sed -n 's/^"\([^"]*\)".*/\1/p' |
		grep -vE '^(C[12] CompilerThread|GC Thread#|G1 )' | sort
}

dumps() {
	ask 0 jstack "$pid" && printed 'Full thread dump' &&
		printed '"idle-4"' || return
	cp "$scratch/out" "$scratch/plain"
	ask 0 jstack -l -e "$pid" && printed 'Locked ownable synchronizers' &&
		printed 'allocated=' || return
	! grep -q 'Locked ownable' "$scratch/plain" ||
		{ echo 'locks without -l'; return 1; }
	"$1/bin/jstack" "$pid" | thread_names >"$scratch/wanted"
	[ -s "$scratch/wanted" ] &&
		thread_names <"$scratch/plain" | diff "$scratch/wanted" -
}

socket_removed() {
	rm "/tmp/.java_pid$pid" || return
	ask 0 jcmd "$pid" VM.version && printed 'VM version'
}

check() {
	target "$1" -- threads=5 || return
	commands && dumps "$1" && files=$(files_open "$pid") &&
		socket_removed && ask 0 jstack "$pid" && alive "$pid" &&
		attach_left_nothing "$pid" "$files" || return
	target_end "$pid"
	rm -f "/tmp/.java_pid$pid"
	ask 3 jcmd "$pid" VM.version
}

for_each_jdk check
