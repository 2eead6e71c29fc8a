# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after target.sh and attach.sh, by tests that reach JVMs over JMX.
# shellcheck disable=SC2154 # variables of the caller

# free_port [COUNT]: prints ports that are unused, below the ports that the
# kernel assigns to clients (default: 1).
free_port() {
	python3 - "${1-1}" <<-END
		import random, socket, sys
		ports = set()
		while len(ports) < int(sys.argv[1]):
		    port = random.randrange(20000, 32000)
		    with socket.socket() as s:
		        try:
		            s.bind(("127.0.0.1", port))
		        except OSError:
		            continue
		    ports.add(port)
		print(*ports)
	END
}

# jmx_target JDK [JVM-OPTION…]: starts a JVM whose registry and JMX server both
# listen on $port, without TLS and, unless the options set one, without
# password.
jmx_target() {
	jmx_home=$1
	shift
	port=$(free_port)
	jmx=-Dcom.sun.management.jmxremote
	target "$jmx_home" $jmx.port="$port" $jmx.rmi.port="$port" \
		$jmx.host=127.0.0.1 $jmx.ssl=false $jmx.authenticate=false \
		-Djava.rmi.server.hostname=127.0.0.1 "$@"
}

# python_server STATEMENT: starts a server that executes the Python statement
# for each connection c, and sets $port.  It ends with the test, after 300 s at
# most.
python_server() {
	cat >"$scratch/server.py" <<-END
		import signal, socket, sys
		signal.alarm(300)
		s = socket.socket()
		s.bind(("127.0.0.1", 0))
		s.listen()
		print(s.getsockname()[1], flush=True)
		kept = []
		while True:
		    c, _ = s.accept()
		    kept.append(c)
		    $1
	END
	: >"$scratch/port"
	python3 "$scratch/server.py" >"$scratch/port" 2>&1 &
	target_pids="$target_pids $!"
	target_wait "$scratch/port" '^[0-9]' "$!" || return
	port=$(cat "$scratch/port")
}

# interrupt PID: sends SIGINT to the command that timeout(1) with this PID runs.
# timeout itself would send the signal to the command and then to its process
# group, so the command would receive it twice.
interrupt() {
	# shellcheck disable=SC2046 # pids
	kill -INT $(cat "/proc/$1/task/$1/children")
}
