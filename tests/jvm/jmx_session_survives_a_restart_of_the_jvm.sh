# SPDX-License-Identifier: Apache-2.0
# A JVM that is restarted between two calls; a session that ended while nobody
# called; one that nothing but a lease keeps; and sessions that are elsewhere
# than what the registry names.
# Begins early: it waits for sessions to end.
# shellcheck disable=SC2034,SC2154 # for target.sh; of it
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh

# jmx STATUS ARGUMENT…: as ask, by the client alone.
jmx() {
	sjkc=$TOOLS/ask_jmx ask "$@"
}

# What is told to the JVM before it is restarted is not told to the next one.
restarted() {
	target_program=Beans
	count='sjkc.test:type=Operations/count()'
	jmx_target "$1" && first=$pid || return
	# What an earlier one said is not to be taken for what this one says.
	rm -f "$scratch/go" "$scratch/talk"
	timeout 300 "$TOOLS/ask_jmx" "127.0.0.1:$port" \
		"listen=sjkc.test:type=Ticker" "invoke=$count" "invoke=$count" \
		"wait=$scratch/go" "invoke=$count" count \
		"invoke=sjkc.test:type=Ticker/send(int:1,java.lang.String:x)" \
		fetch=10000 fetch=10000 get=java.lang:type=Runtime/Pid \
		>"$scratch/talk" 2>&1 &
	talk=$!
	target_wait "$scratch/talk" waiting || return
	target_end "$first"
	# At the same port.
	target "$1" $jmx.port="$port" $jmx.rmi.port="$port" \
		$jmx.host=127.0.0.1 $jmx.ssl=false $jmx.authenticate=false \
		-Djava.rmi.server.hostname=127.0.0.1 || return
	: >"$scratch/go"
	wait "$talk" || { echo "it failed"; cat "$scratch/talk"; return 1; }
	cp "$scratch/talk" "$scratch/out"
	# Counted from one again; the listener is there again, and what was
	# missed is said.
	[ "$(sed -n 1,4p "$scratch/out" | tr '\n' ' ')" = '1 2 waiting 1 ' ] &&
		printed 'notification sjkc.lost of  0' &&
		[ "$(tail -n 1 "$scratch/out")" = "$pid" ] &&
		target_end "$pid"
}

# connector TIMEOUT-MS JDK [JVM-OPTION…]
connector() {
	target_program=Connector
	idle_ms=$1 jdk_home=$2
	shift 2
	port=$(free_port)
	target "$jdk_home" -Djava.rmi.server.hostname=127.0.0.1 \
		-Djava.rmi.server.randomIDs=true "$@" -- "$port" "$idle_ms"
	url=service:jmx:rmi:///jndi/rmi://127.0.0.1:$port/a/door
}

# logins COUNT: there were so many.
logins() {
	seen=$(grep -c LOGIN "$said")
	[ "$seen" -eq "$1" ] || { echo "$seen logins, not $1"; return 1; }
}

idle_too_long() {
	connector 1000 "$1" && jmx 0 "$url" count sleep=2500 count &&
		logins 2 && target_end "$pid"
}

# logins_most COUNT: there were no more.
logins_most() {
	seen=$(grep -c LOGIN "$said")
	[ "$seen" -le "$1" ] || { echo "$seen logins, not $1"; return 1; }
}

# A lease lasts 1.5 s; without one, the session is garbage at once, when no
# thread waits for its end by the clock either.  In six seconds one that is not
# renewed needs four logins; a machine that stands still for a second, two.
kept_by_a_lease() {
	connector 9223372036854775807 "$1" -Djava.rmi.dgc.leaseValue=1500 \
		-Dsun.rmi.dgc.checkInterval=200 -Dsun.rmi.dgc.ackTimeout=100 ||
		return
	# shellcheck disable=SC2046 # words
	jmx 0 "$url" $(yes 'sleep=300 count' | head -n 20) count &&
		logins_most 2 && target_end "$pid"
}

check() {
	restarted "$1" && idle_too_long "$1" && kept_by_a_lease "$1"
}

for_each_jdk check
