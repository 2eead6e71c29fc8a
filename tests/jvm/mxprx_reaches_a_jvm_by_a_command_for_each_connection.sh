#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The JVM chose its second port; the proxy's command can connect to any port.
# Clients need one port and no unknown host name.  The proxy reports commands
# that fail, and all commands end with the proxy, even if it is killed.
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

# fails JDK COMMAND TEXT: with this command, or without a JVM, clients get an
# exception with TEXT.
fails() {
	proxy --proxy-command "$2" -s 127.0.0.1:9010 -b 0 --timeout 2s || return
	jmx_client "$1" "127.0.0.1:$proxy_port" shut || return
	target_wait "$proxy_said" "$3" || return
	grep -q "ConnectException: sjkc: .*$3" "$scratch/client" ||
		{ cat "$scratch/client"; return 1; }
	proxy_end TERM
}

# Without a command and with one forwarded port, the client's exception has
# advice. The client makes several calls on connections that it keeps.
advises() {
	lab_jvm "$1" random || return
	lab_forward 17010 9010 || return
	proxy -s 127.0.0.1:17010 -b 0 || return
	jmx_client "$1" "127.0.0.1:$proxy_port" shut || return
	grep -q 'ConnectException: sjkc: .*second port.*--proxy-command' \
		"$scratch/client" || { cat "$scratch/client"; return 1; }
	lab_unforward
	target_end "$pid"
	proxy_end TERM
}

# leaves_none JDK SIGNAL: when the proxy ends during a session, its commands
# end.
leaves_none() {
	lab_jvm "$1" random || return
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
	target_end "$pid"
}

for jdk in $(jdks); do
	serves "$jdk" || exit 1
done
fails "$jdk" "$lab_dial" 'Connection refused' &&
	fails "$jdk" 'sh -c "exit 3"' 'sh: exit status 3' &&
	fails "$jdk" 'yes' 'does not speak RMI' && advises "$jdk" &&
	fails "$jdk" 'sleep 1000' 'no reply in time' &&
	leaves_none "$jdk" KILL && leaves_none "$jdk" TERM
