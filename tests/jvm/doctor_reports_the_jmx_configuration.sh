# SPDX-License-Identifier: Apache-2.0
# doctor reports the JMX configuration without attaching: no port, a port for
# this machine, a port for everyone, a port with a password, and attach
# disabled.  Its advice contains the command to type.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
jmx=-Dcom.sun.management.jmxremote

# line WORD NAME TEXT: fails unless doctor's last report has this line
line() {
	grep -E "^$1 +$2 +" "$scratch/out" | grep -qF -- "$3" && return
	echo "no line '$1 $2 … $3' in:"
	cat "$scratch/out"
	return 1
}

none() {
	target "$1" || return
	ask 0 doctor "$pid" && line '' 'JMX port' 'no port is configured' &&
		line '' 'local JMX' "\`sjkc mxping -p $pid --start-agent\` starts it" &&
		line works: 'jps,' 'mxping -p' || return
	! grep -qsx 'Attach Listener' "/proc/$pid/task/"*/comm ||
		{ echo 'doctor attached to the JVM'; return 1; }
	"$1/bin/jcmd" "$pid" ManagementAgent.start_local >"$scratch/jcmd" &&
		ask 0 doctor "$pid" &&
		line ok 'local JMX' 'the connector listens on port' &&
		target_end "$pid"
}

# The application opens ports itself; the debugger's port is not greeted.
of_the_application() {
	own_port=$(free_port)
	target_program=Connector
	target "$1" -- "$own_port" 60000 || return
	ask 0 doctor "$pid" && line '' 'JMX port' ":$own_port" &&
		line '' 'JMX port' 'RMI servers of the application reply at' &&
		line '' 'JMX port' 'a greeting of 7 bytes' && target_end "$pid" &&
		target "$1" -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0 \
			-- "$own_port" 60000 || return
	ask 0 doctor "$pid" && line '' 'JMX port' 'no port is configured' &&
		! grep 'greeting' "$scratch/out" && alive "$pid" &&
		target_end "$pid" || return
	target_program=Target
}

# The port is bound to the loopback address.
for_this_machine() {
	jmx_target "$1" || return
	ask 0 doctor "$pid" &&
		line '' 'JMX port' "127.0.0.1:$port, requires no password" &&
		line '' 'JMX clients' 'are sent to 127.0.0.1' &&
		line '' 'JMX clients' "sjkc mxping -s 127.0.0.1:$port" &&
		line ok 'local JMX' 'the connector listens' || return
	# The command of the advice works.
	ask 0 mxping -s "127.0.0.1:$port" || return
	"$1/bin/jcmd" "$pid" ManagementAgent.stop >"$scratch/jcmd" &&
		ask 0 doctor "$pid" &&
		line '' 'JMX port' 'no port is configured' && target_end "$pid"
}

# The port is bound to all addresses, so the JVM runs in its own network
# namespace.
for_everybody() {
	[ "$(id -u)" -eq 0 ] || return 0
	cat >"$scratch/net.sh" <<-END
		ip link set lo up && exec "\$@"
	END
	within="unshare --net sh $scratch/net.sh"
	target "$1" $jmx.port=9010 $jmx.ssl=false $jmx.authenticate=false \
		-Djava.rmi.server.hostname=app.example || return
	ask 0 doctor "$pid" &&
		line warning 'JMX port' '9010 on all addresses, requires no passw' &&
		line warning 'JMX port' 'anyone who reaches it can run code' &&
		printed '-> jmxremote.authenticate=true' &&
		line '' 'JMX clients' 'are sent to app.example' || return
	ask 0 doctor --json "$pid" && python3 - "$scratch/out" <<-'END' ||
		import json, sys
		checks = json.load(open(sys.argv[1]))["checks"]
		port = [c for c in checks if c["name"] == "JMX port"]
		assert len(port) == 1, checks
		assert port[0]["state"] == "warning", port
		assert port[0]["remedy"].startswith("jmxremote."), port
	END
		return
	no_right_to_enter "$1" && target_end "$pid" || return
	with_password "$1" "$jmx.ssl=false" 'a password, which is sent in clear'
	within=
}

no_right_to_enter() {
	setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin \
		"$sjkc" doctor "$pid" >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 4 ] || { echo 'exit status not 4'; return 1; }
	line failed 'JMX network' 'network namespace' &&
		grep -q 'does not work: .*mxping -p (JMX network)' "$scratch/out"
}

# with_password JDK OPTION TEXT: with JMX passwords and OPTION, doctor prints
# TEXT
with_password() {
	echo 'admin secret' >"$scratch/password"
	chmod 600 "$scratch/password"
	target "$1" $jmx.port=9010 "$2" $jmx.password.file="$scratch/password" \
		-XX:-UsePerfData || return
	ask 8 doctor "$pid" && line '' 'JMX port' "9010 on all addresses, requires" &&
		line '' 'JMX port' "requires $3" && target_end "$pid"
}

attach_disabled() {
	target "$1" -XX:+DisableAttachMechanism || return
	ask 5 doctor "$pid" &&
		line failed 'local JMX' 'cannot be started: attach mechanism' &&
		grep -q 'does not work: .*mxping -p (local JMX)' \
			"$scratch/out" || return
	target_end "$pid"
	# A configured port starts the connector, even if attach is disabled.
	jmx_target "$1" -XX:+DisableAttachMechanism || return
	ask 5 doctor "$pid" && grep -q '^works: .*mxping -p' "$scratch/out" &&
		target_end "$pid"
}

check() {
	none "$1" && of_the_application "$1" && for_this_machine "$1" &&
		for_everybody "$1" &&
		attach_disabled "$1"
}

for_each_jdk check
