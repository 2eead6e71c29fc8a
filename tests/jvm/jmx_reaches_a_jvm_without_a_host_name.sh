# SPDX-License-Identifier: Apache-2.0
# A JVM whose host name does not resolve writes stubs without a host, which
# Java's clients take for their own machine: they connect from there and fail
# elsewhere.  sjkc connects from both, and mxping explains it.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
jdk=$(jdks | tail -n 1)
[ -n "$jdk" ] || { echo 'no JDK'; exit 77; }
lab_inside && lab_forward 9010 9010 && same_port=$forwarder &&
	lab_forward 17010 9010 || exit
# The address of a router, in the outer network.
ip address add 10.99.0.9/32 dev lo || exit
# Without an interface that is up the JVM refuses to start its connector
# (JMXServiceURL.getActiveNetworkInterfaceIP(), JDK 11 to 28).
within_lab sh -c 'ip link add name up7 type veth peer name down7 &&
	ip address add 10.99.7.1/24 dev up7 && ip link set up7 up &&
	ip link set down7 up' || exit

cat >"$scratch/nowhere" <<'END'
hostname nowhere.example.invalid && exec "$@"
END
jmx=-Dcom.sun.management.jmxremote
within="nsenter --net=/proc/$inside/ns/net unshare --uts sh $scratch/nowhere"
target "$jdk" $jmx.port=9010 $jmx.rmi.port=9010 $jmx.ssl=false \
	$jmx.authenticate=false -Dtarget.seconds=600 || exit
within=

# reads OPTION…: fails unless MBeans can be read from this target
reads() {
	ask 0 mx "$@" -b java.lang:type=Runtime -mg -q -f Name &&
		printed "$pid@" && ask 0 mxdump "$@" -q java.lang:type=Runtime &&
		printed '"modelerType":"sun.management.RuntimeImpl"' &&
		ask 0 ttop "$@" -b --iterations 1 -ri 100ms --sampler-interval 20ms
}

# With a port forward of the same port number, the client's machine looks like
# the JVM's machine.
from_its_machine() {
	jmx_client "$jdk" 127.0.0.1:9010 attributes &&
		ask 0 mxping -s 127.0.0.1:9010 &&
		printed 'the stub names no host, so each Java client connects' &&
		printed 'clients on other machines fail' &&
		printed '-> for clients on other machines, start the JVM' &&
		reads -s 127.0.0.1:9010 && ask 0 jcmd -s 127.0.0.1:9010 VM.uptime
}

by_pid() {
	ask 0 mxping -p "$pid" && printed 'the stub names no host' &&
		ask 0 mx -p "$pid" -b java.lang:type=Runtime -mg -q -f Name &&
		printed "$pid@" && ask 0 jcmd "$pid" VM.uptime &&
		ask 0 ttop "$pid" --jmx -b --iterations 1 -ri 100ms --sampler-interval 20ms
}

# proxied ARGUMENT…: fails unless a Java client connects through mxprx ARGUMENT…
proxied() {
	: >"$scratch/proxy"
	"$sjkc" mxprx "$@" -b 127.0.0.1:7777 >"$scratch/proxy" 2>&1 &
	proxy=$!
	target_pids="$target_pids $proxy"
	target_wait "$scratch/proxy" 127.0.0.1:7777 || return
	jmx_client "$jdk" 127.0.0.1:7777 attributes ||
		{ cat "$scratch/proxy"; return 1; }
	kill "$proxy" && wait "$proxy"
}

# On the client's machine, nothing listens on that port.
from_another_machine() {
	kill "$same_port"
	wait "$same_port" 2>/dev/null
	socat TCP-LISTEN:9010,bind=10.99.0.9,fork,reuseaddr \
		TCP:127.0.0.1:17010 &
	target_pids="$target_pids $!"
	target_wait_port || return
	jmx_client "$jdk" 10.99.0.9:9010 shut && ask 5 mxping -s 10.99.0.9:9010 &&
		printed "the JVM's stub names no host, so each Java client connects to its own machine, 127.0.0.1, port 9010, where nothing listens; the same port of 10.99.0.9" &&
		printed '-> start the JVM with -Djava.rmi.server.hostname=10.99.0.9' &&
		reads -s 10.99.0.9:9010 && proxied -s 10.99.0.9:9010
}

target_wait_port() {
	for _ in $(seq 600); do
		python3 -c 'import socket
socket.create_connection(("10.99.0.9", 9010), 1)' 2>/dev/null && return
		sleep 0.1
	done
	echo 'socat does not listen'
	return 1
}

from_its_machine && by_pid && proxied -p "$pid" && from_another_machine
