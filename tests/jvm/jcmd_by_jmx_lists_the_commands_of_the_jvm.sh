# SPDX-License-Identifier: Apache-2.0
# Over JMX, jcmd finds each command that the JVM offers to remote clients, with
# and without arguments, and prints the same results as by attach.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh

# asked STATUS ARGUMENT…: fails unless jcmd over JMX exits with STATUS
asked() {
	asked_for=$1
	shift
	ask "$asked_for" jcmd -s "127.0.0.1:$port" "$@"
}

# Each operation belongs to a command of the list, and each command has an
# operation.
operations_match_commands() {
	asked 0 && cp "$scratch/out" "$scratch/help" &&
		ask 0 mx -s "127.0.0.1:$port" --info --json \
			-b com.sun.management:type=DiagnosticCommand &&
		python3 - "$scratch/help" "$scratch/out" \
			>"$scratch/plain" <<-'END'
			import json, re, sys
			def operation(command):
			    first, *rest = re.split("[._]", command)
			    return first.lower() + "".join(
			        part[0].upper() + part[1:] for part in rest)
			commands = [line.strip() for line in open(sys.argv[1])
			    if re.match(r"[\w.]+$", line)]
			(m,) = json.load(open(sys.argv[2]))["mbeans"]
			operations = {o["name"] for o in m["operations"]}
			assert len(commands) > 25, commands
			assert {operation(c) for c in commands} == operations, (
			    sorted(map(operation, commands)), sorted(operations))
			for o in m["operations"]:
			    types = [p["type"] for p in o["parameters"]]
			    assert types in ([], ["String[]"]), o
			plain = {o["name"] for o in m["operations"]
			    if not o["parameters"]}
			assert len(plain) > 5, plain
			for c in commands:
			    if operation(c) in plain:
			        print(c)
		END
}

# jcmd finds the operation of each command without arguments: it refuses an
# argument only after it has found the operation.
finds_operations() {
	while read -r command; do
		asked 2 "$command" more </dev/null &&
			said "$command takes no arguments" || return
	done <"$scratch/plain"
	asked 0 Compiler.CodeHeap_Analytics aggregate
}

# same COMMAND…: fails unless jcmd prints the same over JMX and by attach
same() {
	asked 0 "$@" && cp "$scratch/out" "$scratch/by_jmx" &&
		ask 0 jcmd "$pid" "$@" &&
		diff -u "$scratch/out" "$scratch/by_jmx"
}

answers() {
	same VM.version && same VM.command_line && same VM.flags -all &&
		same help GC.class_histogram && same VM.log list &&
		asked 0 GC.class_histogram -all && printed 'java.lang.String' &&
		asked 0 -c 'Thread.print -l' && printed '"main"' &&
		asked 0 GC.run && asked 0 VM.log "what=gc=info" \
			"output=$scratch/a log" && [ -e "$scratch/a log" ]
}

refuses() {
	asked 3 VM.versio &&
		said "no command 'VM.versio'; did you mean 'VM.version'?" &&
		asked 2 VM.version more && said 'takes no arguments' &&
		asked 5 GC.class_histogram nonsense=1 &&
		said "the JVM refused: Unknown argument 'nonsense'" || return
	# The JVM would take an option of sjkc in this position for a file name.
	ask 2 jcmd "$pid" GC.heap_dump --force-hostname &&
		said 'put it before the command' &&
		asked 2 GC.heap_dump --quiet && said 'put it before' &&
		asked 0 'GC.class_histogram -all' && alive "$pid"
}

check() {
	jmx_target "$1" && operations_match_commands &&
		finds_operations && answers && refuses &&
		target_end "$pid"
}

for_each_jdk check
