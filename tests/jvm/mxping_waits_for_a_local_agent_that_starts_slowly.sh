# SPDX-License-Identifier: Apache-2.0
# Begins early: it waits for an agent that starts in twelve seconds.
#
# The timeout of a step of mxping, 5 s, and of a reply to mx, 10 s, do not apply
# to the start of the local JMX connector, which takes longer on a busy machine.  A
# shorter timeout of the user does.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

# The thread that starts the agent has the boot class loader.
jdk=$(jdks | head -n 1)
target_program=SlowAgent
classes=$(target_compile "$jdk") || exit

slow_target() {
	# shellcheck disable=SC2016 # the name of a nested class
	target "$jdk" "-Xbootclasspath/a:$classes" \
		'-Djavax.management.builder.initial=SlowAgent$Builder'
}

mxping() {
	slow_target && ask 0 mxping -p "$pid" --start-agent &&
		printed 'ok      round-trip' &&
		said 'starting the local JMX connector' && target_end "$pid"
}

# ask itself would give a longer timeout.
mx() {
	slow_target || return
	timeout 100 "$sjkc" mx -p "$pid" -q -b java.lang:type=Runtime --get \
		-f VmName >"$scratch/out" 2>&1 && printed VM ||
		{ cat "$scratch/out"; return 1; }
	target_end "$pid"
}

mx_with_a_short_timeout() {
	slow_target && ask 5 mx -p "$pid" --timeout 2s \
		-b java.lang:type=Runtime --get -f VmName &&
		said 'did not respond within 2 s' && target_end "$pid"
}

in_parallel mxping mxping
in_parallel mx mx
in_parallel short mx_with_a_short_timeout
in_parallel_wait
