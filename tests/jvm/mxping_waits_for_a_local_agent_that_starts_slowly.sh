# SPDX-License-Identifier: Apache-2.0
# The timeout of a step, 5 s, does not apply to the start of the local JMX
# agent, which takes longer on a busy machine.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

# The thread that starts the agent has the boot class loader.
jdk=$(jdks | head -n 1)
target_program=SlowAgent
classes=$(target_compile "$jdk") || exit
# shellcheck disable=SC2016 # the name of a nested class
target "$jdk" "-Xbootclasspath/a:$classes" \
	'-Djavax.management.builder.initial=SlowAgent$Builder' &&
	ask 0 mxping -p "$pid" --start-agent && printed 'ok      round-trip' &&
	said 'starting the local JMX agent' && target_end "$pid"
