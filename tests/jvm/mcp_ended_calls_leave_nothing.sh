# SPDX-License-Identifier: Apache-2.0
# Each JDK: each loads the agent and restores classes otherwise.
# A cancelled call of `sjkc mcp`, and the end of its client or of itself, restore
# probed methods and leave no process, no thread, no file and no memory in the JVM, also
# while the JVM does not reply to an attach.  Lines that are no messages end nothing.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/probes.sh
target_program=Calls

check() {
	target "$1" -- hold=1 && witness_build "$1" && mkdir -p "$scratch/files" ||
		return
	/usr/bin/python3 tests/jvm/lib/mcp_ends.py "$sjkc" "$pid" \
		"$scratch/files" idle some || return
	# The JVM may merge constants when a class is changed for the first time.
	witness Calls "$scratch/before" &&
		/usr/bin/python3 tests/jvm/lib/mcp_ends.py "$sjkc" "$pid" \
			"$scratch/files" probes && witness Calls "$scratch/now" &&
		diff "$scratch/before" "$scratch/now" || return
	target_end "$pid"
}

for_each_jdk check
