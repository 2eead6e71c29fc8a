#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/cluster.sh SJKC DIRECTORY [NAME...]
#
# Runs tests/cluster/*_*.sh, or the named scripts, on the cluster of $KUBECONFIG, in
# namespaces that this script makes and deletes.  DIRECTORY has the tarball of sjkc.
# The pods run $CLUSTER_IMAGE, an image with JDK 11 or later, bash and tar (default:
# eclipse-temurin:21-jdk).  $CLUSTER_SJKC_IMAGE is the image of packaging/Dockerfile, for
# the DaemonSet and debug containers; without it, debug containers unpack the tarball.
# Without $KUBECONFIG, the scripts are skipped.
cd "$(dirname "$0")/.." || exit 2
. tests/tap.sh
sjkc=$1
CLUSTER_TARBALL=$(echo "$2"/sjkc-*-linux-*.tar.gz)
shift 2
[ $# -gt 0 ] || set -- tests/cluster/*_*.sh
CLUSTER_NAMESPACE=sjkc-check-$(date +%s)-$$
: "${CLUSTER_IMAGE:=eclipse-temurin:21-jdk}"
: "${CLUSTER_SJKC_IMAGE=}"
CLUSTER_MISSING=
export CLUSTER_TARBALL CLUSTER_NAMESPACE CLUSTER_IMAGE CLUSTER_SJKC_IMAGE CLUSTER_MISSING
made=

# pods_start: makes the namespace with its pods.
pods_start() {
	kubectl create namespace "$CLUSTER_NAMESPACE" || return
	made=yes
	sed "s|@IMAGE@|$CLUSTER_IMAGE|" tests/cluster/shop.yaml |
		kubectl apply -n "$CLUSTER_NAMESPACE" -f - &&
		kubectl wait -n "$CLUSTER_NAMESPACE" --timeout=300s \
			--for=condition=Available deployment/shop deployment/receiver &&
		kubectl wait -n "$CLUSTER_NAMESPACE" --timeout=300s \
			--for=condition=Ready pod/plain && return
	kubectl get pods,events -n "$CLUSTER_NAMESPACE"
	return 1
}

pods_end() {
	[ -z "$made" ] || kubectl delete namespace "$CLUSTER_NAMESPACE" \
		"$CLUSTER_NAMESPACE-node" --ignore-not-found --timeout=120s >&2
}

trap pods_end EXIT
trap 'exit 130' HUP INT TERM
if [ -z "${KUBECONFIG-}" ]; then
	CLUSTER_MISSING='KUBECONFIG is not set'
elif ! command -v kubectl >/dev/null; then
	CLUSTER_MISSING='no kubectl'
elif ! pods_start >build/cluster.log 2>&1; then
	tap_result 'the pods start' "$(cat build/cluster.log)"
	tap_end
fi
JOBS=1 sh tests/jvm.sh "$sjkc" "$@"
