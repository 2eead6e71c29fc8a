#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2034 # inner_net is target_contained's
# mxprx -p exposes a JVM that was started without JMX options, also one of
# another user in a container with its own network.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/proxy.sh

serves() {
	proxy -p "$pid" -b 0 || return
	grep -q 'starting the local JMX connector in JVM' "$proxy_said" ||
		{ cat "$proxy_said"; return 1; }
	jmx_client "$1" "127.0.0.1:$proxy_port" attributes operations \
		notifications loop 100 || return
	# The local agent keeps running, and the next proxy uses it.
	proxy_end TERM
	proxy -p "$pid" -b 0 || return
	jmx_client "$1" "127.0.0.1:$proxy_port" attributes || return
	[ ! -s "$proxy_said" ] || { cat "$proxy_said"; return 1; }
	target_end "$pid"
	jmx_client "$1" "127.0.0.1:$proxy_port" shut || return
	target_wait "$proxy_said" 'the JVM has exited' || return
	proxy_end TERM
}

for jdk in $(jdks); do
	target "$jdk" && serves "$jdk" || exit 1
	inner_net=1
	target_contained "$jdk" || exit 1
	[ "$(readlink "/proc/$pid/ns/net")" != "$(readlink /proc/self/ns/net)" ] ||
		{ echo 'it is in this network'; exit 1; }
	serves "$jdk" || exit 1
done
