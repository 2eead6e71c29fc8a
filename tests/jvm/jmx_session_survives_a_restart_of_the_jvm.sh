# SPDX-License-Identifier: Apache-2.0
# The client continues after a restart of the JVM between two calls, and after
# its session timed out.  It renews the lease of a session that only a lease
# keeps alive.
# Begins early: it waits for sessions to end.
# shellcheck disable=SC2034,SC2154 # variables of target.sh
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh

# jmx STATUS ARGUMENT…: like ask, with ask_jmx instead of sjkc.
jmx() {
	sjkc=$TOOLS/ask_jmx ask "$@"
}

# Calls that the first JVM has executed are not repeated in the second.
restarted() {
	target_program=Beans
	count='sjkc.test:type=Operations/count()'
	jmx_target "$1" && first=$pid || return
	# The output of an earlier run must not be mistaken for this one's.
	rm -f "$scratch/go" "$scratch/replies"
	timeout 300 "$TOOLS/ask_jmx" "127.0.0.1:$port" \
		"listen=sjkc.test:type=Ticker" "invoke=$count" "invoke=$count" \
		"wait=$scratch/go" "invoke=$count" count \
		"invoke=sjkc.test:type=Ticker/send(int:1,java.lang.String:x)" \
		fetch=10000 fetch=10000 get=java.lang:type=Runtime/Pid \
		>"$scratch/replies" 2>&1 &
	client=$!
	target_wait "$scratch/replies" waiting || return
	target_end "$first"
	# The second JVM has the same port.
	target "$1" $jmx.port="$port" $jmx.rmi.port="$port" \
		$jmx.host=127.0.0.1 $jmx.ssl=false $jmx.authenticate=false \
		-Djava.rmi.server.hostname=127.0.0.1 || return
	: >"$scratch/go"
	wait "$client" ||
		{ echo 'ask_jmx failed'; cat "$scratch/replies"; return 1; }
	cp "$scratch/replies" "$scratch/out"
	# The count starts at 1 again, the listener is registered again, and
	# lost notifications are reported.
	[ "$(sed -n 1,4p "$scratch/out" | tr '\n' ' ')" = '1 2 waiting 1 ' ] &&
		printed 'notification sjkc.lost of  0' &&
		[ "$(tail -n 1 "$scratch/out")" = "$pid" ] &&
		target_end "$pid"
}

# connector TIMEOUT-MS JDK [JVM-OPTION…]: starts Connector.java, whose sessions
# time out
connector() {
	target_program=Connector
	idle_ms=$1 jdk_home=$2
	shift 2
	port=$(free_port)
	target "$jdk_home" -Djava.rmi.server.hostname=127.0.0.1 \
		-Djava.rmi.server.randomIDs=true "$@" -- "$port" "$idle_ms"
	url=service:jmx:rmi:///jndi/rmi://127.0.0.1:$port/a/door
}

# A busy machine may pause for longer than a session or a lease lasts.  The client would then log in once more, but not in
# each of three runs.  A run that returns 2 is repeated.
again_if_late() {
	for _ in 1 2 3; do
		"$@"
		late=$?
		[ $late -eq 2 ] || return $late
	done
	return 1
}

# logins LEAST MOST: fails unless the number of logins is between these two.
logins() {
	seen=$(grep -c LOGIN "$said")
	[ "$seen" -lt "$1" ] || [ "$seen" -gt "$2" ] || return 0
	echo "$seen logins, not $1 to $2"
	[ "$seen" -lt "$1" ] && return 1
	target_end "$pid"
	return 2
}

idle_too_long() {
	connector 1000 "$1" || return 1
	jmx 0 "$url" count sleep=2500 count || {
		# The session timed out before the JVM had returned it.
		grep -q 'NotSerializableException.*RMIConnectionImpl' \
			"$scratch/err" || return 1
		target_end "$pid"
		return 2
	}
	logins 2 2 || return
	target_end "$pid"
}

# A lease lasts 1.5 s.  The session never times out, so no timer thread refers
# to it: without the lease, it is garbage.  If the client did not renew the
# lease, six seconds would need four logins.  Two are allowed, because a busy
# machine may pause for a second.
kept_by_a_lease() {
	connector 9223372036854775807 "$1" -Djava.rmi.dgc.leaseValue=1500 \
		-Dsun.rmi.dgc.checkInterval=200 -Dsun.rmi.dgc.ackTimeout=100 ||
		return 1
	# shellcheck disable=SC2046 # words
	jmx 0 "$url" $(yes 'sleep=300 count' | head -n 20) count || return 1
	logins 1 2 || return
	target_end "$pid"
}

check() {
	restarted "$1" && again_if_late idle_too_long "$1" &&
		again_if_late kept_by_a_lease "$1"
}

for_each_jdk check
