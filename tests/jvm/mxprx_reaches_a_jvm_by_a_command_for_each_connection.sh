#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A JVM whose second port is one that it has just chosen, behind a command that
# can connect to any: clients see one port, and no host that they do not know.
# Commands that fail are named, and end with the proxy, however that ends.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/proxy.sh

lab_inside || exit 1
lab_dial_command

# Whoever has the inside's network for his own, but who was there before.
dialled() {
	find /proc/[0-9]*/ns/net -maxdepth 0 -lname "$lab_network" 2>/dev/null |
	while IFS=/ read -r _ _ one _; do
		grep -q '^socat' "/proc/$one/cmdline" 2>/dev/null &&
			echo "$one"
	done
}
# A pattern of find: its brackets are none.
lab_network=$(readlink "/proc/$inside/ns/net" | sed 's/[][]/\\&/g')

serves() {
	lab_jvm "$1" random hostname || return
	proxy --proxy-command "$lab_dial" -s 127.0.0.1:9010 -b 0 || return
	jmx_client "$1" "127.0.0.1:$proxy_port" attributes notifications \
		loop 100 || return
	# Each connection had a command, which ended with it.
	for _ in $(seq 600); do
		[ -n "$(dialled)" ] || break
		sleep 0.1
	done
	[ -z "$(dialled)" ] || { echo 'commands stay'; return 1; }
	[ ! -s "$proxy_said" ] || { cat "$proxy_said"; return 1; }
	target_end "$pid"
	proxy_end TERM
}

# A JVM that has gone, one that is not there, and commands that are of no use.
fails() {
	proxy --proxy-command "$2" -s 127.0.0.1:9010 -b 0 --timeout 2s || return
	jmx_client "$1" "127.0.0.1:$proxy_port" shut || return
	target_wait "$proxy_said" "$3" || return
	grep -q "ConnectException: sjkc: .*$3" "$scratch/client" ||
		{ cat "$scratch/client"; return 1; }
	proxy_end TERM
}

# Where no command is, and but one port forwarded, a client hears what to do.
# It asks more than once, on connections that it keeps.
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

# A proxy that is killed leaves none of its commands, in a session.
leaves_none() {
	lab_jvm "$1" random || return
	proxy --proxy-command "$lab_dial" -s 127.0.0.1:9010 -b 0 || return
	jmx_client "$1" "127.0.0.1:$proxy_port" loop 1000000 &
	client=$!
	target_pids="$target_pids $client"
	for _ in $(seq 600); do
		[ -z "$(dialled)" ] || break
		sleep 0.1
	done
	[ -n "$(dialled)" ] || { echo 'no command was seen'; return 1; }
	proxy_end "$2"
	for _ in $(seq 600); do
		[ -n "$(dialled)" ] || break
		sleep 0.1
	done
	[ -z "$(dialled)" ] || { echo "commands outlive $2"; return 1; }
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
