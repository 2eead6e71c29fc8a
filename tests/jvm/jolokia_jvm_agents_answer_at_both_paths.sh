# SPDX-License-Identifier: Apache-2.0
# Newest JDK: the agent 2.6 requires Java 17.
# Jolokia's JVM agents, which are not in Debian: those before 2.6 return 404 at
# /jolokia, and all reply at /jolokia/.  mxping, mx, ttop and mxprx accept both
# URLs, and mxprx serves both paths to clients.
sjkc=$(realpath "$1") scratch=$(realpath "$2")
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh
unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY

both_paths() {
	jolokia_accepts "http://127.0.0.1:$port/jolokia" &&
		jolokia_accepts "http://127.0.0.1:$port/jolokia/" &&
		ask 3 mxping -u "http://127.0.0.1:$port" &&
		printed "one answers at http://127.0.0.1:$port/jolokia"
}

# In make check, only one of those that return 404.
[ -n "${EVERY_JDK-}" ] || jolokia_versions=jolokia-agent-jvm:2.2.9:javaagent
for agent in $jolokia_versions; do
	jolokia_jvm "$agent" && both_paths || { echo "$agent"; exit 1; }
	target_end "$pid"
done
