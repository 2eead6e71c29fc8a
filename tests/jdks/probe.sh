# SPDX-License-Identifier: Apache-2.0
# sjkc probe with each JDK: counts, errors, slow calls with arguments and stack
# traces equal the program's own account, and the classes have the same bytes
# afterwards.
sjkc=$1
scratch=$2
version=$3
. tests/jvm/lib/target.sh
. tests/jvm/lib/jdk.sh
. tests/jvm/lib/probe.sh

# witness_loads FILE: loads the agent Witness, which writes the digests of the
# classes Calls* to the file.  JDK 8 has no diagnostic command for that.
witness_loads() {
	rm -f "$1"
	/usr/bin/python3 - "$pid" "$scratch/witness.jar=Calls $1" <<-'END' || return
		import re, socket, sys
		pid, jar = sys.argv[1:]
		status = open(f"/proc/{pid}/status").read()
		inner = re.search(r"NSpid:.*?(\d+)\n", status).group(1)
		s = socket.socket(socket.AF_UNIX)
		s.settimeout(60)
		s.connect(f"/proc/{pid}/root/tmp/.java_pid{inner}")
		s.sendall("\0".join(["1", "load", "instrument", "false", jar,
		                     ""]).encode())
		if not s.recv(64).startswith(b"0"):
		    sys.exit("the agent Witness is not loaded")
	END
	for _ in $(seq 1 600); do
		[ ! -s "$1" ] || return 0
		sleep 0.1
	done
	echo 'the witness printed nothing'
	return 1
}

# The JVM merges constants when a class is changed for the first time, and JDK 21
# and later keep constants that a change has added.  So sessions with all modes
# and a reading precede those that count.
settled() {
	for mode in '' --count '--above 1s --args'; do
		# shellcheck disable=SC2086 # words
		"$sjkc" probe "$pid" -q -d 10ms $mode 'Calls*.*' \
			>"$scratch/out" || return
	done
	witness_loads "$scratch/before" && witness_loads "$scratch/before"
}

witness_build() {
	witness_compiler=$(jdk_compiler) &&
		witness_classes=$(target_compile "$witness_compiler" Witness \
			--release 8) || return
	printf '%s: %s\n' Agent-Class Witness Can-Retransform-Classes true \
		Can-Redefine-Classes true >"$scratch/manifest"
	"$witness_compiler/bin/jar" cfm "$scratch/witness.jar" \
		"$scratch/manifest" -C "$witness_classes" .
}

# digests NAME: a line for each class, without those that the JVM makes itself
digests() {
	tr , '\n' <"$scratch/$1" | tr -d ' {}' | grep -v Lambda
}

# armed: the classes differ while they are armed
armed() {
	probe_start 'Calls*.*' || return
	witness_loads "$scratch/armed" || return
	kill -INT "$probing"
	wait "$probing" || return
	! cmp -s "$scratch/before" "$scratch/armed" ||
		{ echo 'armed classes have the same bytes'; return 1; }
}

bytes() {
	armed && witness_loads "$scratch/after" && digests before >"$scratch/old" &&
		digests after | diff "$scratch/old" - && echo '| identical'
}

slow_calls() {
	calls_are_reported && echo "| $(grep -c '"type": *"call".*"slow"' \
		"$scratch/out") slow calls"
}

counts() {
	counts_are_equal && echo "| $(awk '{ n += $2; e += $3 } END {
		print n " calls, " e " errors" }' "$scratch/wanted")"
}

jdk_target "$version" -- go="$scratch/go" calls=5000 || exit 1
cell 'probe: counts and errors' counts
witness_build && settled || exit 1
cell 'probe: slow calls' slow_calls
cell 'probe: bytes of classes' bytes
target_end "$pid"
