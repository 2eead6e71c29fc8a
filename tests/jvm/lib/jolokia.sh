# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after target.sh, attach.sh and jmx.sh, by tests that reach a JVM
# through the real Jolokia agent (libjolokia-core-java), which
# JolokiaServer.java serves.
# shellcheck disable=SC2154 # variables of the caller

jolokia_jars=/usr/share/java/jolokia-core.jar:/usr/share/java/json-simple.jar

# jolokia_target JDK PROGRAM [JVM-OPTION…] [-- ARGUMENT…]: starts a JVM that
# runs a program of this directory, with the agent at $url.  The JVM options
# include the properties of JolokiaServer.java, such as -Dserve.user=….
# $jolokia_scheme is the scheme of the URL (default: http).
jolokia_target() {
	port=$(free_port)
	url=${jolokia_scheme:-http}://127.0.0.1:$port/jolokia
	jolokia_ports="-Dserve.port=$port"
	jolokia_start "$@"
}

# jolokia_agents "NAME…" JDK PROGRAM [JVM-OPTION…] [-- ARGUMENT…]: like
# jolokia_target, but with an agent for each name in the same JVM, whose
# properties are -Dserve.NAME.user=… and so on.
jolokia_agents() {
	jolokia_names=$1
	shift
	jolokia_ports=-Dserve.agents=$(echo "$jolokia_names" | tr ' ' ,)
	# shellcheck disable=SC2046 # the number of words
	for port in $(free_port $(echo "$jolokia_names" | wc -w)); do
		jolokia_ports="$jolokia_ports
			-Dserve.${jolokia_names%% *}.port=$port"
		jolokia_names=${jolokia_names#* }
	done
	jolokia_start "$@"
}

# jolokia_at NAME [SCHEME]: sets $port and $url to those of this agent.
jolokia_at() {
	port=${jolokia_ports#*"serve.$1.port="}
	port=${port%%[!0-9]*}
	# shellcheck disable=SC2034 # for the caller
	url=${2:-http}://127.0.0.1:$port/jolokia
}

jolokia_start() {
	jolokia_home=$1
	jolokia_program=$2
	shift 2
	[ -e "${jolokia_jars%%:*}" ] ||
		{ echo 'libjolokia-core-java is missing'; exit 77; }
	jolokia_path=$(target_compile "$jolokia_home" "$jolokia_program") &&
		jolokia_server=$(target_compile "$jolokia_home" \
			JolokiaServer -cp "$jolokia_jars") || return
	target_split "$@"
	# shellcheck disable=SC2086 # words
	target_program=JolokiaServer compile_for="-cp $jolokia_jars" \
		target "$jolokia_home" \
		-cp "$jolokia_server:$jolokia_path:$jolokia_jars" \
		$jolokia_ports $options -- \
		"$jolokia_program" $arguments
}
