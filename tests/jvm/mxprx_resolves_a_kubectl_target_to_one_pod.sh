#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mxprx --kubectl with a service whose port differs from the pod's, a named
# port, and a deployment: both ports of the JVM are forwarded from one pod, even
# if another pod would be chosen now.  When the pod has ended, the first client
# reaches another pod.  A target that does not exist ends mxprx before it prints
# how to connect.  --tls-server-name is the name in the JVM's certificate.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/proxy.sh
. tests/jvm/lib/cluster.sh

cluster || exit 1
jdk=$(jdks | head -n 1)
labels='"labels": {"app": "shop", "tier": "web"}'
ports='"ports": {"jmx": 9010}'
echo '{"selector": {"app": "shop"}, "ports": [
	{"port": 80, "name": "http", "targetPort": 9010},
	{"port": 81, "name": "admin", "targetPort": "jmx"}]}' \
	>"$cluster/shop/services/shop"
echo '{"selector": {"app": "shop"}, "ports": [{"port": 9010}]}' \
	>"$cluster/shop/services/same"
echo '{"selector": {"matchLabels": {"app": "shop"}, "matchExpressions": [
	{"key": "tier", "operator": "In", "values": ["db", "web"]},
	{"key": "canary", "operator": "DoesNotExist"}]}}' \
	>"$cluster/shop/deployments/shop"

# fails STATUS TEXT OPTION…: fails unless mxprx ends with the status and the
# message, and prints nothing else.
fails() {
	wanted=$1 message=$2
	shift 2
	timeout 60 "$sjkc" mxprx "$@" -b 0 >"$scratch/out" 2>"$scratch/err"
	status=$?
	[ "$status" -eq "$wanted" ] && grep -qF -- "$message" "$scratch/err" &&
		[ ! -s "$scratch/out" ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] ||
		{ echo "$status, not $wanted: mxprx $*"; cat "$scratch/out" "$scratch/err"
			return 1; }
}

# serves TARGET: fails unless the JVM of $pid replies through mxprx.
serves() {
	"$sjkc" mx --timeout 120s -s "127.0.0.1:$proxy_port" \
		-b java.lang:type=Runtime --get \
		-f Pid -q >"$scratch/pid" 2>&1 &&
		grep -qx "$pid" "$scratch/pid" || {
		echo "$1:"
		cat "$scratch/pid" "$proxy_said"
		return 1
	}
}

# A newer kubectl asks for the namespace of a missing object.
fails 5 'web-9" not found; check the name, --namespace and --context' \
	--kubectl web-9:9010 --namespace shop || exit 1
fails 5 '"nada" not found' --kubectl deployment/shop:9010 --namespace nada || exit 1
fails 5 'web-9" not found' --kubectl web-9:9010 --namespace shop \
	-u http://localhost/jolokia || exit 1
fails 5 'nada' --kubectl web-0:9010 --context nada || exit 1
fails 5 '/nada: no such file' --kubectl web-0:9010 --kubeconfig /nada || exit 1
KUBECONFIG=/nada fails 5 'kubectl has no configuration of a cluster' \
	--kubectl web-0:9010 || exit 1
sed 's,127.0.0.1:[0-9]*,127.0.0.1:1,' "$KUBECONFIG" >"$scratch/down"
fails 5 'the API server refuses connections' --kubectl web-0:9010 \
	--kubeconfig "$scratch/down" || exit 1
fails 5 'deployment/shop: no pod has its labels' --kubectl deployment/shop:9010 \
	--namespace shop || exit 1

cluster_pod shop-1 "$jdk" "{$labels, $ports}" || exit 1
fails 5 'the service has no port 9010; its ports: 80, 81' \
	--kubectl svc/shop:9010 --namespace shop || exit 1
fails 5 "pod shop-1 has no port named 'http'" --kubectl shop-1:http \
	--namespace shop || exit 1
for target in svc/shop:80 service/shop:admin svc/same:9010 shop-1:jmx; do
	proxy --kubectl "$target" --namespace shop --context c \
		--kubeconfig "$KUBECONFIG" -b 0 --timeout 60s || exit
	serves "$target" && proxy_end TERM || exit 1
done

# Nothing listens on the port.
proxy --kubectl shop-1:9999 --namespace shop -b 0 --timeout 60s || exit
"$sjkc" mx --timeout 120s -s "127.0.0.1:$proxy_port" \
		-b java.lang:type=Runtime --get \
	>"$scratch/mx" 2>&1
grep -q 'without a reply; nothing listens on this port in the pod$' \
	"$scratch/mx" && ! grep -q 'Unhandled\|sandbox' "$scratch/mx" \
	"$proxy_said" || { cat "$scratch/mx" "$proxy_said"; exit 1; }
proxy_end TERM || exit 1

# The first pod becomes unready before the first client, and another is ready.
proxy --kubectl deployment/shop:9010 --namespace shop -b 0 --timeout 60s || exit
cluster_describe shop-1 "{$labels, \"ready\": false}"
first=$pid first_inside=$inside
cluster_pod shop-2 "$jdk" "{$labels, $ports}" || exit 1
second=$pid second_inside=$inside
pid=$first inside=$first_inside
serves 'the unready pod' || exit 1

# The pod ends.  kubectl notices this only at the next connection, from which
# the first client gets the other pod.
cluster_unpod shop-1
pid=$second inside=$second_inside
serves 'the other pod' && serves 'the other pod, again' || exit 1
grep -q 'pod shop-1 was replaced by pod shop-2' "$proxy_said" &&
	[ "$(grep -c 'forwarded from' "$proxy_said")" -eq 4 ] &&
	! grep -q 'Unhandled\|sandbox' "$proxy_said" ||
	{ cat "$proxy_said"; exit 1; }
[ -z "${SHOW-}" ] || cat "$proxy_said"
proxy_end TERM
cluster_unpod shop-2

# verifies OPTION…: fails unless mxprx accepts the certificate of the JVM for its
# name only.
verifies() {
	proxy "$@" -b 0 --timeout 60s --cacert "$tls/ca.pem" \
		--tls-server-name other.example.invalid &&
		serves "$*" && proxy_end TERM || return
	for name in '' --tls-server-name=another.example.invalid; do
		proxy "$@" -b 0 --timeout 60s --cacert "$tls/ca.pem" $name ||
			return
		! "$sjkc" mx --timeout 120s -s "127.0.0.1:$proxy_port" --get \
			-b java.lang:type=Runtime >"$scratch/mx" 2>&1 &&
			grep -q "not valid for host ${name#*=}" "$scratch/mx" ||
			{ echo "$* $name"; cat "$scratch/mx"; return 1; }
		proxy_end TERM
	done
}

# shellcheck disable=SC2034 # for cluster_pod
cluster_settings='tls-registry nosan'
lab_tls && cluster_pod secure "$jdk" && lab_dial_command || exit 1
verifies --kubectl secure:9010 --namespace shop &&
	verifies -s "$lab_address:9010" --proxy-command "$lab_dial" || exit 1
cluster_unpod secure
