# SPDX-License-Identifier: Apache-2.0
# From JDK 24 on, the JVM writes the reply at the safepoint unless the request
# asks otherwise, so a client that stops reading would stop the program.  Here,
# the output of sjkc is not read for ten seconds.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

check() {
	: >"$scratch/log"
	target "$1" -Xlog:safepoint:file="$scratch/log" -- threads=1500 || return
	"$sjkc" jstack -l -e "$pid" | { sleep 10; wc -c; } >"$scratch/bytes"
	# More than the buffers between the JVM and this script can hold.
	[ "$(cat "$scratch/bytes")" -gt 600000 ] ||
		{ echo "only $(cat "$scratch/bytes") bytes"; return 1; }
	longest=$(sed -n 's/.*"PrintThreads".* Total: *\([0-9]*\) ns.*/\1/p' \
		"$scratch/log" | sort -n | tail -n 1)
	[ -n "$longest" ] || { echo 'no pause in the log'; return 1; }
	[ "$longest" -lt 8000000000 ] ||
		{ echo "the JVM was at a safepoint for $longest ns"; return 1; }
	target_end "$pid"
}

for_each_jdk check
