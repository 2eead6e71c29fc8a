# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by tests on a real cluster, whose pods tests/cluster.sh has started.
# shellcheck disable=SC2154 # variables of the caller
[ -z "$CLUSTER_MISSING" ] || { echo "$CLUSTER_MISSING"; exit 77; }
. tests/jvm/lib/lab.sh
. tests/jvm/lib/target.sh
. tests/jvm/lib/proxy.sh
. tests/jvm/lib/clients.sh

kube() {
	kubectl -n "$CLUSTER_NAMESPACE" "$@"
}

# forwarded TARGET: starts mxprx for this target of the namespace.
forwarded() {
	proxy --kubectl "$1" --namespace "$CLUSTER_NAMESPACE" -b 0 --timeout 60s
}

# serves: fails unless mx and ttop reach a JVM through mxprx.  Sets $serving to
# the name of its pod.
serves() {
	"$sjkc" mx -s "127.0.0.1:$proxy_port" -b java.lang:type=Runtime --get \
		-f Name -q >"$scratch/mx" 2>&1 &&
		serving=$(sed -n 's/^[0-9]*@//p' "$scratch/mx") &&
		[ -n "$serving" ] && "$sjkc" ttop -s "127.0.0.1:$proxy_port" -b \
			-ri 1s --iterations 1 >"$scratch/ttop" 2>&1 &&
		grep -q ' main$' "$scratch/ttop" && return
	cat "$scratch/mx" "$scratch/ttop" "$proxy_said"
	return 1
}
