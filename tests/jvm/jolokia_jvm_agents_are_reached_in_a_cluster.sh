# SPDX-License-Identifier: Apache-2.0
# Only in check-all: starts three JVMs, and sjkc sixty times.
# Newest JDK: the agent 2.6 requires Java 17.
# Jolokia's JVM agents in a pod, through the API server's proxy path and through
# mxprx --kubectl, with and without a slash at the end of the URL.  kubectl is real;
# the API server is a stand-in.
sjkc=$(realpath "$1") scratch=$(realpath "$2")
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh
. tests/jvm/lib/cluster.sh
unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY
[ "$(id -u)" -eq 0 ] || { echo 'not root'; exit 77; }

# by_kubectl PATH: reaches the agent through mxprx, also for JMX clients.
by_kubectl() {
	proxy -u "http://localhost:$port$1" --kubectl "web-0:$port" \
		--namespace shop -b 0 || return
	first=$proxy first_port=$proxy_port
	jolokia_posts /jolokia && jolokia_posts /jolokia/ &&
		jolokia_accepts "http://127.0.0.1:$first_port/jolokia" ||
		{ cat "$scratch/proxy.said"; return 1; }
	proxy=$first
	proxy_end TERM
}

maven_home=$HOME
cluster || exit 1
api=$(sed -n 's/.*"server": "\([^"]*\)".*/\1/p' "$KUBECONFIG")
for agent in $jolokia_versions; do
	jolokia_jvm "$agent" || { echo "$agent"; exit 1; }
	# The pod is the JVM, in the network of this machine.
	inside=$pid
	cluster_describe web-0 ""
	path=$api/api/v1/namespaces/shop/pods/web-0:$port/proxy/jolokia
	jolokia_accepts "$path" && jolokia_accepts "$path/" &&
		by_kubectl /jolokia && by_kubectl /jolokia/ ||
		{ echo "$agent"; exit 1; }
	target_end "$pid"
done
