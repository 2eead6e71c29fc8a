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
	jolokia_home=$1
	jolokia_program=$2
	shift 2
	[ -e "${jolokia_jars%%:*}" ] ||
		{ echo 'libjolokia-core-java is missing'; exit 77; }
	jolokia_path=$(target_compile "$jolokia_home" "$jolokia_program") &&
		jolokia_server=$(target_compile "$jolokia_home" \
			JolokiaServer -cp "$jolokia_jars") || return
	target_split "$@"
	port=$(free_port)
	# shellcheck disable=SC2034 # for the caller
	url=${jolokia_scheme:-http}://127.0.0.1:$port/jolokia
	# shellcheck disable=SC2086 # words
	target_program=JolokiaServer compile_for="-cp $jolokia_jars" \
		target "$jolokia_home" \
		-cp "$jolokia_server:$jolokia_path:$jolokia_jars" \
		-Dserve.port="$port" $options -- \
		"$jolokia_program" $arguments
}
