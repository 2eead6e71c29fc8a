#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The JVM chose its second port; the proxy's command can connect to any port.
# Clients need one port and no unknown host name.  The proxy reports commands
# that fail, and all commands end with the proxy, even if it is killed.
# Only in check-all: it starts many JVMs; mxprx_lets_every_client_through_to_every_jvm
# and mxprx_reaches_a_pod_by_kubectl have proxies with a command.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/proxy.sh

lab_inside || exit 1
lab_dial_command

# commands: prints the PID of each socat in the inner network.
commands() {
	find /proc/[0-9]*/ns/net -maxdepth 0 -lname "$lab_network" 2>/dev/null |
	while IFS=/ read -r _ _ one _; do
		grep -q '^socat' "/proc/$one/cmdline" 2>/dev/null &&
			echo "$one"
	done
}
# A pattern of find, so brackets need backslashes.
lab_network=$(readlink "/proc/$inside/ns/net" | sed 's/[][]/\\&/g')

serves() {
	lab_jvm "$1" random hostname || return
	proxy --proxy-command "$lab_dial" -s 127.0.0.1:9010 -b 0 || return
	jmx_client "$1" "127.0.0.1:$proxy_port" attributes notifications \
		loop 100 || return
	# Each connection had a command, which ended with it.
	for _ in $(seq 600); do
		[ -n "$(commands)" ] || break
		sleep 0.1
	done
	[ -z "$(commands)" ] || { echo 'commands are left'; return 1; }
	[ ! -s "$proxy_said" ] || { cat "$proxy_said"; return 1; }
	target_end "$pid"
	proxy_end TERM
}

# failing: writes a line for each command that fails: the text that the proxy
# and the client's exception have, and the command.  No JVM listens.
failing() {
	cat <<-END
		Connection refused|$lab_dial
		sh: exit status 3|sh -c "exit 3"
		does not speak RMI|yes
		no reply in time|sleep 1000
	END
}

# fails JDK: with these commands, a client gets these exceptions.
fails() {
	proxies='' words=''
	failing >"$scratch/failing"
	while IFS='|' read -r text command; do
		proxy --proxy-command "$command" -s 127.0.0.1:9010 -b 0 \
			--timeout 2s || return
		proxies="$proxies $proxy"
		mv "$proxy_said" "$scratch/said.$proxy_port"
		echo "$proxy_port|$text" >>"$scratch/failing.ports"
		words="$words ${words:+--} 127.0.0.1:$proxy_port shut"
	done <"$scratch/failing"
	# shellcheck disable=SC2086 # words
	jmx_client "$1" $words || return
	while IFS='|' read -r port text; do
		target_wait "$scratch/said.$port" "$text" || return
		grep -A 1 "^at 127.0.0.1:$port\$" "$scratch/client" |
			grep -q "ConnectException: sjkc: .*$text" ||
			{ echo "not $text:"; cat "$scratch/client"; return 1; }
	done <"$scratch/failing.ports"
	for proxy in $proxies; do
		proxy_end TERM || return
	done
}

# Without a command and with one forwarded port, the client's exception has
# advice. The client makes several calls on connections that it keeps.
advises() {
	lab_forward 17010 9010 || return
	proxy -s 127.0.0.1:17010 -b 0 || return
	jmx_client "$1" "127.0.0.1:$proxy_port" shut || return
	grep -q 'ConnectException: sjkc: .*second port.*--proxy-command' \
		"$scratch/client" || { cat "$scratch/client"; return 1; }
	lab_unforward
	proxy_end TERM
}

# leaves_none JDK SIGNAL: when the proxy ends during a session, its commands
# end.
leaves_none() {
	proxy --proxy-command "$lab_dial" -s 127.0.0.1:9010 -b 0 || return
	jmx_client "$1" "127.0.0.1:$proxy_port" loop 1000000 &
	client=$!
	target_pids="$target_pids $client"
	for _ in $(seq 600); do
		[ -z "$(commands)" ] || break
		sleep 0.1
	done
	[ -n "$(commands)" ] || { echo 'no command was found'; return 1; }
	proxy_end "$2"
	for _ in $(seq 600); do
		[ -n "$(commands)" ] || break
		sleep 0.1
	done
	[ -z "$(commands)" ] || { echo "commands are left after $2"; return 1; }
	target_end "$client"
}

for jdk in $(jdks); do
	serves "$jdk" || exit 1
done
fails "$jdk" && lab_jvm "$jdk" random && advises "$jdk" &&
	leaves_none "$jdk" KILL && leaves_none "$jdk" TERM
