# SPDX-License-Identifier: Apache-2.0
# Where the agent runs, by the counters; where it does not, after it was started;
# without counters, by asking; and nothing is started that nobody asked for.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/local_jmx.sh

# The attach listener is a thread that begins when a JVM is first asked.
was_asked() {
	grep -qsx 'Attach Listener' "/proc/$pid/task/"*/comm
}

without_any_flag() {
	target "$1" || return
	looks 0 look && printed 'port=0 started=0' || return
	looks 8 find && said 'the local JMX agent is not running' || return
	! was_asked || { echo 'it was asked'; return 1; }
	looks 0 start && greeted && printed 'started=1' &&
		printed 'url=service:jmx:rmi://127.0.0.1/stub/' || return
	cp "$scratch/out" "$scratch/first"
	looks 0 start && greeted && printed 'started=0' || return
	[ "$(grep ^url= "$scratch/first")" = "$(grep ^url= "$scratch/out")" ] ||
		{ echo 'another one was started'; return 1; }
	looks 0 look && greeted && looks 0 find && greeted &&
		alive "$pid" && no_litter "$pid" && target_end "$pid"
}

# Its stubs have a host that nobody here can reach.
with_remote_jmx() {
	jmx_target "$1" -Djava.rmi.server.hostname=10.255.255.1 \
		-Dcom.sun.management.jmxremote.password.file=/none || return
	looks 0 find && greeted && printed 'started=0' &&
		printed "remote_port=$port authenticate=0 ssl=0 registry_ssl=0" &&
		printed "127.0.0.1:$port/jmxrmi" &&
		printed 'com.sun.management.jmxremote.password.file=/none' ||
		return
	! was_asked || { echo 'it was asked'; return 1; }
	remote_stopped "$1" && target_end "$pid"
}

# What its counters say of the remote one is not what is now.
remote_stopped() {
	"$1/bin/jcmd" "$pid" ManagementAgent.stop >"$scratch/jcmd" &&
		looks 0 find && greeted || return
	! grep -q remote_port "$scratch/out" ||
		{ echo 'a remote agent that was stopped is shown'; return 1; }
	again=$(free_port)
	"$1/bin/jcmd" "$pid" ManagementAgent.start jmxremote.port="$again" \
		jmxremote.host=127.0.0.1 jmxremote.ssl=false \
		jmxremote.authenticate=false >"$scratch/jcmd" &&
		looks 0 find && printed "remote_port=$again authenticate=0"
}

without_counters() {
	target "$1" -XX:-UsePerfData \
		-Dcom.sun.management.jmxremote.ssl=FALSE || return
	looks 0 look && printed port=0 && ! was_asked || return
	looks 8 find && said 'is not running' && was_asked || return
	looks 0 start && greeted && printed 'started=1' || return
	looks 0 find && greeted && printed 'started=0' || return
	looks 0 look && printed 'port=0' && alive "$pid" &&
		no_litter "$pid" && target_end "$pid"
}

# What was asked for on the command line is known without the counters.
remote_without_counters() {
	jmx_target "$1" -XX:-UsePerfData || return
	looks 0 look && printed 'port=0' &&
		printed "remote_port=$port authenticate=0 ssl=0" || return
	looks 0 find && greeted && printed 'started=0' &&
		printed "remote_port=$port authenticate=0 ssl=0" || return
	# It stopped, and begins again otherwise: the command line knows nothing.
	"$1/bin/jcmd" "$pid" ManagementAgent.stop >"$scratch/jcmd" &&
		looks 0 find && greeted || return
	! grep -q remote_port "$scratch/out" ||
		{ echo 'a remote agent that was stopped is shown'; return 1; }
	again=$(free_port)
	"$1/bin/jcmd" "$pid" ManagementAgent.start jmxremote.port="$again" \
		jmxremote.host=127.0.0.1 jmxremote.ssl=false \
		jmxremote.authenticate=false >"$scratch/jcmd" &&
		looks 0 find && printed "remote_port=$again authenticate=0" &&
		target_end "$pid"
}

attach_disabled() {
	jmx_target "$1" -XX:+DisableAttachMechanism || return
	looks 0 find && greeted && looks 0 start && greeted &&
		target_end "$pid" || return
	target "$1" -XX:+DisableAttachMechanism || return
	looks 8 find && looks 5 start && said 'DisableAttachMechanism' &&
		alive "$pid" && target_end "$pid"
}

check() {
	without_any_flag "$1" && with_remote_jmx "$1" &&
		without_counters "$1" && remote_without_counters "$1" &&
		attach_disabled "$1"
}

for_each_jdk check
