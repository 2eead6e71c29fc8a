# SPDX-License-Identifier: Apache-2.0
# Newest JDK: the agent 2.6 requires Java 17.
# Jolokia's JVM agents, which are not in Debian: those before 2.6 return 404 at
# /jolokia, and all reply at /jolokia/.  mxping, mx, ttop and mxprx accept both
# URLs, and mxprx serves both paths to clients.
sjkc=$(realpath "$1") scratch=$(realpath "$2")
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/proxy.sh
unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY

# agent_fetch ARTIFACT VERSION [CLASSIFIER]: sets $jar; Maven keeps it.
agent_fetch() {
	jar=$HOME/.m2/repository/org/jolokia/$1/$2/$1-$2${3+-$3}.jar
	[ -e "$jar" ] || timeout 120 mvn -q -B dependency:get \
		-Dtransitive=false "-Dartifact=org.jolokia:$1:$2:jar${3+:$3}" \
		>"$scratch/maven" 2>&1 || return
	[ -e "$jar" ]
}

# posts PATH: fails unless the proxy's path replies to a POST.
posts() {
	curl -sS -d '{"type":"version"}' "http://127.0.0.1:$proxy_port$1" |
		grep -q '"status":200' || { echo "mxprx: POST $1"; return 1; }
}

both_paths() {
	runtime='-b java.lang:type=Runtime --get -f VmName -q'
	for url in "http://127.0.0.1:$port/jolokia" \
		"http://127.0.0.1:$port/jolokia/"; do
		# The first request to an agent takes long on a busy machine.
		# shellcheck disable=SC2086 # words
		ask 0 mxping --timeout 60s -u "$url" && printed 'Jolokia works' &&
			ask 0 mx -u "$url" $runtime && printed VM &&
			ask 0 ttop -u "$url" -b --iterations 1 -ri 200ms &&
			proxy -u "$url" -b 0 && posts /jolokia &&
			posts /jolokia/ && proxy_end TERM &&
			proxy -u "$url" -b 0 --rmi &&
			ask 0 mx -s "127.0.0.1:$proxy_port" $runtime &&
			printed VM && proxy_end TERM || { echo "$url"; return 1; }
	done
	ask 3 mxping -u "http://127.0.0.1:$port" &&
		printed "one answers at http://127.0.0.1:$port/jolokia"
}

for agent in 'jolokia-jvm 1.7.2' 'jolokia-agent-jvm 2.2.9 javaagent' \
	'jolokia-agent-jvm 2.6.0 javaagent'; do
	# shellcheck disable=SC2086 # words
	agent_fetch $agent || { echo "Maven cannot fetch $agent"; exit 77; }
	port=$(free_port)
	target "$(jdks | tail -n 1)" \
		"-javaagent:$jar=port=$port,host=127.0.0.1" &&
		target_wait "$said" 'started with URL' "$pid" || exit 1
	both_paths || { echo "$agent"; exit 1; }
	target_end "$pid"
done
