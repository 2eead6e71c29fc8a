# SPDX-License-Identifier: Apache-2.0
# The address of the local JMX connector comes from the performance counters, or
# from a request if there are none.  The agent is started only on request.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/local_jmx.sh

# was_attached: succeeds if a client has attached to the JVM, which then starts
# the thread Attach Listener.
was_attached() {
	grep -qsx 'Attach Listener' "/proc/$pid/task/"*/comm
}

without_any_flag() {
	target "$1" || return
	local_jmx 0 look && printed 'port=0 started=0' || return
	local_jmx 8 find && said 'the local JMX connector is not running' || return
	! was_attached || { echo 'a client attached'; return 1; }
	local_jmx 0 start && greeted && printed 'started=1' &&
		printed 'url=service:jmx:rmi://127.0.0.1/stub/' || return
	cp "$scratch/out" "$scratch/first"
	local_jmx 0 start && greeted && printed 'started=0' || return
	[ "$(grep ^url= "$scratch/first")" = "$(grep ^url= "$scratch/out")" ] ||
		{ echo 'another one was started'; return 1; }
	local_jmx 0 look && greeted && local_jmx 0 find && greeted &&
		alive "$pid" && attach_left_nothing "$pid" && target_end "$pid"
}

# The stubs of the remote connector contain an unreachable host.
with_remote_jmx() {
	jmx_target "$1" -Djava.rmi.server.hostname=10.255.255.1 \
		-Dcom.sun.management.jmxremote.password.file=/none || return
	local_jmx 0 find && greeted && printed 'started=0' &&
		printed "remote_port=$port authenticate=0 ssl=0 registry_ssl=0" &&
		printed "127.0.0.1:$port/jmxrmi" &&
		printed 'com.sun.management.jmxremote.password.file=/none' ||
		return
	! was_attached || { echo 'a client attached'; return 1; }
	remote_stopped "$1" && target_end "$pid"
}

# After a remote connector was stopped, its counters are outdated.
remote_stopped() {
	"$1/bin/jcmd" "$pid" ManagementAgent.stop >"$scratch/jcmd" &&
		local_jmx 0 find && greeted || return
	! grep -q remote_port "$scratch/out" ||
		{ echo 'a remote agent that was stopped is shown'; return 1; }
	again=$(free_port)
	"$1/bin/jcmd" "$pid" ManagementAgent.start jmxremote.port="$again" \
		jmxremote.host=127.0.0.1 jmxremote.ssl=false \
		jmxremote.authenticate=false >"$scratch/jcmd" &&
		local_jmx 0 find && printed "remote_port=$again authenticate=0"
}

without_counters() {
	target "$1" -XX:-UsePerfData \
		-Dcom.sun.management.jmxremote.ssl=FALSE || return
	local_jmx 0 look && printed port=0 && ! was_attached || return
	local_jmx 8 find && said 'is not running' && was_attached || return
	local_jmx 0 start && greeted && printed 'started=1' || return
	local_jmx 0 find && greeted && printed 'started=0' || return
	local_jmx 0 look && printed 'port=0' && alive "$pid" &&
		attach_left_nothing "$pid" && target_end "$pid"
}

# Without counters, the configuration comes from the command line.
remote_without_counters() {
	jmx_target "$1" -XX:-UsePerfData || return
	local_jmx 0 look && printed 'port=0' &&
		printed "remote_port=$port authenticate=0 ssl=0" || return
	local_jmx 0 find && greeted && printed 'started=0' &&
		printed "remote_port=$port authenticate=0 ssl=0" || return
	# The connector is stopped and started with another configuration, which
	# is not on the command line.
	"$1/bin/jcmd" "$pid" ManagementAgent.stop >"$scratch/jcmd" &&
		local_jmx 0 find && greeted || return
	! grep -q remote_port "$scratch/out" ||
		{ echo 'a remote agent that was stopped is shown'; return 1; }
	again=$(free_port)
	"$1/bin/jcmd" "$pid" ManagementAgent.start jmxremote.port="$again" \
		jmxremote.host=127.0.0.1 jmxremote.ssl=false \
		jmxremote.authenticate=false >"$scratch/jcmd" &&
		local_jmx 0 find && printed "remote_port=$again authenticate=0" &&
		target_end "$pid"
}

attach_disabled() {
	jmx_target "$1" -XX:+DisableAttachMechanism || return
	local_jmx 0 find && greeted && local_jmx 0 start && greeted &&
		target_end "$pid" || return
	target "$1" -XX:+DisableAttachMechanism || return
	local_jmx 8 find && local_jmx 5 start && said 'DisableAttachMechanism' &&
		alive "$pid" && target_end "$pid"
}

check() {
	without_any_flag "$1" && with_remote_jmx "$1" &&
		without_counters "$1" && remote_without_counters "$1" &&
		attach_disabled "$1"
}

for_each_jdk check
