# SPDX-License-Identifier: Apache-2.0
# Begins early: waits for a JVM that does not reply.
# prof --all with a JVM that accepts the agent's connection and never replies:
# prof reports that JVM once and samples the other JVMs for the whole duration,
# counted from the start of sampling, without losses.  Ctrl-C ends prof at once
# while prof waits for that JVM, because nothing has been sampled.
sjkc=$1
scratch=$2
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/root/lib/prof.sh

command -v strace >/dev/null || { echo 'no strace'; exit 77; }

# prof gives the JVM up after at least 10 s.
check() {
	before=$(date +%s%N)
	prof 0 --all -e alloc -d 3s --json -o "$scratch/all.json" || return
	took=$((($(date +%s%N) - before) / 1000000))
	has "$prof_err" "not sampled: $mute: .*did not respond within 10 s" || return
	[ "$(grep -c 'not sampled' "$prof_err")" -eq 1 ] || { cat "$prof_err"; return 1; }
	has "$scratch/all.json" 'Target\.allocate' || return
	span=$(sed -n 's/.*"span_ns":\([0-9]*\)......,.*/\1/p' "$scratch/all.json")
	{ [ "$span" -gt 1000 ] && [ "$span" -lt 4000 ]; } ||
		{ echo "samples of $span ms, not of 3 s"; return 1; }
	[ "$took" -lt 60000 ] || { echo "it took $took ms"; return 1; }
}

check_interrupt() {
	prof_start --all -e alloc -o "$scratch/none.json" || return
	sleep 3
	before=$(date +%s%N)
	kill -INT "$prof_pid"
	prof_end 130 || return
	took=$((($(date +%s%N) - before) / 1000000))
	[ "$took" -lt 3000 ] || { echo "prof took $took ms to end"; return 1; }
}

for jdk in $(jdks); do
	target "$jdk" -- threads=1 && mute=$pid || exit 1
	target "$jdk" -- allocators=1 || exit 1
	ask 0 jcmd "$mute" VM.version || exit 1
	listener=$(grep -l '^Attach Listener' "/proc/$mute/task"/*/comm |
		sed 's|.*/task/\([0-9]*\)/.*|\1|')
	# strace stops the only thread that would reply, at its next system
	# call.
	strace -q -o "$scratch/held" -p "$listener" \
		-e trace=read,recvfrom,recvmsg \
		-e inject=read,recvfrom,recvmsg:delay_enter=60000000 &
	tracer=$!
	for _ in $(seq 50); do
		grep -q "^TracerPid:[[:space:]]*$tracer" \
			"/proc/$mute/task/$listener/status" && break
		sleep 0.1
	done
	check_interrupt && check
	result=$?
	kill -KILL $tracer
	[ $result -eq 0 ] || exit 1
	target_end "$mute"
	target_end "$pid"
done
