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

# jolokia_jvm ARTIFACT:VERSION[:CLASSIFIER]: starts a JVM with this agent of Jolokia
# at $port.  Maven fetches the agent, and keeps it in $maven_home (default: $HOME).
jolokia_versions='jolokia-jvm:1.7.2 jolokia-agent-jvm:2.2.9:javaagent
	jolokia-agent-jvm:2.6.0:javaagent'
jolokia_jvm() {
	agent=$1
	artifact=${1%%:*} version=${1#*:}
	kind=${version#*:} version=${version%%:*}
	[ "$kind" != "$version" ] || kind=
	jar=$artifact-$version${kind:+-$kind}.jar
	jar=${maven_home-$HOME}/.m2/repository/org/jolokia/$artifact/$version/$jar
	[ -e "$jar" ] || timeout 120 mvn -q -B dependency:get \
		-Dtransitive=false \
		"-Dartifact=org.jolokia:$artifact:$version:jar${kind:+:$kind}" \
		>"$scratch/maven" 2>&1
	[ -e "$jar" ] || { echo "Maven cannot fetch $agent"; exit 77; }
	port=$(free_port)
	target "$(jdks | tail -n 1)" \
		"-javaagent:$jar=port=$port,host=127.0.0.1" &&
		target_wait "$said" 'started with URL' "$pid"
}

# jolokia_posts PATH: fails unless mxprx replies to a POST.
jolokia_posts() {
	# A servlet would take a form.
	curl -sS -H 'Content-Type: application/json' -d '{"type":"version"}' \
		"http://127.0.0.1:$proxy_port$1" |
		grep -q '"status":200' || { echo "mxprx: POST $1"; return 1; }
}

# jolokia_accepts URL: fails unless mxping, mx, ttop, mxprx and mxprx --rmi reach
# the agent at the URL, and mxprx serves both paths to clients.
jolokia_accepts() {
	jolokia_reads "$1" && proxy -u "$1" -b 0 && jolokia_posts /jolokia &&
		jolokia_posts /jolokia/ && proxy_end TERM &&
		proxy -u "$1" -b 0 --rmi && ask 0 mx -s "127.0.0.1:$proxy_port" \
			-b java.lang:type=Runtime --get -f VmName -q &&
		printed VM && proxy_end TERM || { echo "$1"; return 1; }
}

# jolokia_reads URL: the same for mxping, mx and ttop.  The first request to an
# agent takes long on a busy machine.
jolokia_reads() {
	ask 0 mxping --timeout 60s -u "$1" && printed 'Jolokia works' &&
		ask 0 mx -u "$1" -b java.lang:type=Runtime --get -f VmName -q &&
		printed VM && ask 0 ttop -u "$1" -b --iterations 1 -ri 200ms
}
