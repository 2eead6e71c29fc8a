# SPDX-License-Identifier: Apache-2.0
# If the JVM is stopped or its cgroup is frozen, sjkc reports that immediately.
# If the JVM stops during the request, sjkc times out.  It works again when the
# JVM continues.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

stopped() {
	target_stop "$pid" || return
	# jcmd must report the state instead of waiting until its deadline.
	ask 5 jcmd --timeout 100s "$pid" VM.version && said 'state T' &&
		said "kill -CONT $pid" && [ "$took" -lt 90000 ] || return
	kill -CONT "$pid"
	ask 0 jcmd "$pid" VM.version
}

# The freezer of cgroups 1 or 2, if the test may make a group.
frozen() {
	if mkdir "/sys/fs/cgroup/freezer/sjkc.$$" 2>/dev/null; then
		group=/sys/fs/cgroup/freezer/sjkc.$$
		top=/sys/fs/cgroup/freezer
		switch=freezer.state on=FROZEN off=THAWED
	elif mkdir "/sys/fs/cgroup/sjkc.$$" 2>/dev/null; then
		group=/sys/fs/cgroup/sjkc.$$
		top=/sys/fs/cgroup
		switch=cgroup.freeze on=1 off=0
	else
		return 0
	fi
	echo "$pid" >"$group/cgroup.procs" &&
		echo $on >"$group/$switch"
	sleep 0.2
	ask 5 jcmd --timeout 100s "$pid" VM.version &&
		said 'its cgroup is frozen' && [ "$took" -lt 90000 ]
	result=$?
	echo $off >"$group/$switch"
	echo "$pid" >"$top/cgroup.procs"
	rmdir "$group"
	return $result
}

# The JVM stops replying during the request, because a debugger stops a thread.
stops_when_asked() {
	target "$1" -- threads=2 || return
	ask 0 jcmd "$pid" VM.version || return
	listener=$(grep -l '^Attach Listener' "/proc/$pid/task"/*/comm |
		sed 's|.*/task/\([0-9]*\)/.*|\1|')
	command -v strace >/dev/null || return 0
	# strace delays the JVM's only attach thread at its next read.
	strace -q -o "$scratch/held" -p "$listener" \
		-e trace=read,recvfrom,recvmsg \
		-e inject=read,recvfrom,recvmsg:delay_enter=30000000 &
	tracer=$!
	for _ in $(seq 600); do
		grep -q "^TracerPid:[[:space:]]*$tracer" \
			"/proc/$pid/task/$listener/status" && break
		sleep 0.1
	done
	ask 5 jcmd --timeout 1s "$pid" VM.version && said 'within 1 s'
	result=$?
	kill -KILL $tracer
	return $result
}

check() {
	target "$1" || return
	ask 0 jcmd "$pid" VM.version && stopped && frozen && alive "$pid" &&
		attach_left_nothing "$pid" || return
	target_end "$pid"
	stops_when_asked "$1"
}

for_each_jdk check
