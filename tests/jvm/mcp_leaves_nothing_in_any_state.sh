# SPDX-License-Identifier: Apache-2.0
# Only in check-all: it takes minutes; mcp_ended_calls_leave_nothing has the main states.
# Each JDK: each loads the agent and restores classes otherwise.
# Calls of each tool of `sjkc mcp` end in each state, by a cancellation, the end of the
# client, or that of the server, and leave nothing in the JVM.  Neither calls nor
# cancellations at random moments add to the server's memory and descriptors.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
target_program=Calls

check() {
	mkdir -p "$scratch/files"
	target "$1" -- hold=1 && other=$pid || return
	for case in every "cancels=${MCP_CANCELS-200}" "calls=${MCP_CALLS-200}"; do
		target "$1" -- hold=1 || return
		/usr/bin/python3 tests/jvm/lib/mcp_ends.py "$sjkc" "$pid,$other" \
			"$scratch/files" "$case" || return
		target_end "$pid"
	done
	target_end "$other"
}

for_each_jdk check
