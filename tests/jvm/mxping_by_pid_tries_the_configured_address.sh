# SPDX-License-Identifier: Apache-2.0
# mxping by PID: nothing is configured; a port is configured and tested from the
# JVM's network; or the configured host is unreachable even from there.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
lab_inside || exit

# The JVM's network is another than the test's, as in a container.
nothing_configured() {
	within="nsenter --net=/proc/$inside/ns/net"
	target "$1"
	status=$?
	within=
	[ $status -eq 0 ] && ask 5 mxping -p "$pid" &&
		printed 'port    no JMX port is configured' &&
		printed 'local   the local JMX connector is not running' &&
		printed 'the JVM has no JMX port, and its local JMX connector is not running' &&
		printed "mxping -p $pid --start-agent" &&
		printed "sjkc mxprx -p $pid -b 127.0.0.1:7777" &&
		ask 5 mxping -p "$pid" --json && no_connector &&
		ask 0 mxping -p "$pid" --start-agent --timeout 60s &&
		said 'starting the local JMX connector in JVM' &&
		printed 'ok      round-trip' &&
		printed 'JMX works, through the local JMX connector' &&
		ask 0 mxping "$pid" && ! said 'starting the local' >/dev/null &&
		ask 2 mxping "$pid" 4711 && said "unexpected argument '4711'" &&
		proxy_of_the_fix_works && stopped_is_reported &&
		alive "$pid" &&
		attach_left_nothing "$pid" &&
		target_end "$pid"
}

# The proxy of the printed fix works.
proxy_of_the_fix_works() {
	: >"$scratch/proxy"
	"$sjkc" mxprx -p "$pid" -b 127.0.0.1:7777 >"$scratch/proxy" 2>&1 &
	proxy=$!
	target_pids="$target_pids $proxy"
	target_wait "$scratch/proxy" 7777 &&
		ask 0 mxping -s 127.0.0.1:7777 && printed 'ok      mbean' &&
		kill $proxy && wait $proxy
}

stopped_is_reported() {
	kill -STOP "$pid"
	ask 5 mxping --timeout 1s -p "$pid" &&
		printed 'the JVM is not running: stopped by a signal' &&
		printed "-> kill -CONT $pid" && ask 5 doctor "$pid" &&
		printed 'mx -p (state)'
	status=$?
	kill -CONT "$pid"
	return $status
}

# The JSON of the last mxping has no connector.
no_connector() {
	python3 - "$scratch/out" <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		assert d["configuration"] == {"hostname": None, "remote": None,
		    "local_port": None, "properties": []}, d
		assert d["steps"] == [] and d["ok"] is False, d
	END
}

a_port_for_others() {
	lab_jvm "$1" different password && ask 4 mxping -p "$pid" &&
		printed 'port    9010, for remote clients: without TLS, a password' &&
		printed '        com.sun.management.jmxremote.rmi.port=9011' &&
		printed '        java.rmi.server.hostname=10.99.0.1' &&
		printed 'connected to 127.0.0.1:9010' && printed 'failed  login' &&
		SJKC_PASSWORD=secret ask 0 mxping -p "$pid" --user control &&
		printed 'as control' && printed 'ok      round-trip' &&
		printed 'clients elsewhere must reach 10.99.0.1, port 9011' &&
		SJKC_PASSWORD=secret ask 0 mxping -p "$pid" --user control \
			--json && configuration_is_told && target_end "$pid"
}

configuration_is_told() {
	python3 - "$scratch/out" <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		c = d["configuration"]
		assert c["remote"] == {"port": 9010, "authenticate": True,
		    "ssl": False, "registry_ssl": False,
		    "need_client_auth": False}, c
		assert c["local_port"] > 0, c
		assert c["hostname"] == "10.99.0.1", c
		assert "com.sun.management.jmxremote.rmi.port=9011" in \
		    c["properties"], c
	END
}

an_address_that_is_not_there() {
	lab_jvm "$1" same hostname && ask 5 mxping -p "$pid" &&
		printed 'failed  server' &&
		printed "$lab_name, port 9010, a name that does not resolve here" &&
		printed '-> start the JVM with -Djava.rmi.server.hostname= a' &&
		target_end "$pid"
}

over_ipv6() {
	lab_jvm "$1" ipv6 && ask 0 mxping -p "$pid" &&
		printed 'com.sun.management.jmxremote.host=fd99::1' &&
		printed 'connected to [fd99::1]:9010' && target_end "$pid"
}

check() {
	nothing_configured "$1" && a_port_for_others "$1" &&
		an_address_that_is_not_there "$1" && over_ipv6 "$1"
}

for_each_jdk check
