# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after target.sh and attach.sh, by tests that ask JVMs by JMX.
# shellcheck disable=SC2154 # by who sources it

# free_port: says one that nobody has just now, below those that the kernel
# gives away by itself.
free_port() {
	python3 - <<-END
		import random, socket
		while True:
		    port = random.randrange(20000, 32000)
		    with socket.socket() as s:
		        try:
		            s.bind(("127.0.0.1", port))
		        except OSError:
		            continue
		    print(port)
		    break
	END
}

# jmx_target JDK [JVM-OPTION…]: a JVM with JMX on $port, both of its ports,
# without TLS; without a password unless the options say so.
jmx_target() {
	jmx_home=$1
	shift
	port=$(free_port)
	jmx=-Dcom.sun.management.jmxremote
	target "$jmx_home" $jmx.port="$port" $jmx.rmi.port="$port" \
		$jmx.host=127.0.0.1 $jmx.ssl=false $jmx.authenticate=false \
		-Djava.rmi.server.hostname=127.0.0.1 "$@"
}

# stranger PROGRAM: a server in Python that does that with each connection,
# c; sets $port, ends with the test.  It takes nobody for longer than 300 s.
stranger() {
	cat >"$scratch/stranger.py" <<-END
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
	python3 "$scratch/stranger.py" >"$scratch/port" 2>&1 &
	target_pids="$target_pids $!"
	target_wait "$scratch/port" '^[0-9]' || return
	port=$(cat "$scratch/port")
}

# interrupt PID: SIGINT to what a timeout(1) runs: by that, it comes twice.
interrupt() {
	# shellcheck disable=SC2046 # pids
	kill -INT $(cat "/proc/$1/task/$1/children")
}
