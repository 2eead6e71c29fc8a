# SPDX-License-Identifier: Apache-2.0
# The DaemonSet of packaging/ becomes ready, sends profiles with the names of the
# workloads and of the node, and keeps its memory limit.  Its metrics are reachable by
# each address of its pod if it listens on [::].  Its sjkc shows the pod of each JVM,
# and finds a JVM by its pod.
sjkc=$1 scratch=$2
. tests/cluster/pods.sh
[ -n "$CLUSTER_SJKC_IMAGE" ] || { echo 'CLUSTER_SJKC_IMAGE is not set'; exit 77; }
nodes=$CLUSTER_NAMESPACE-node

# property NAMESPACE KIND SELECTOR PATH: prints a property of one object.
property() {
	kubectl -n "$1" get "$2" -l "$3" -o "jsonpath={.items[0].$4}"
}

receiver=$(property "$CLUSTER_NAMESPACE" pod app=receiver metadata.name)
node=$(property "$CLUSTER_NAMESPACE" pod app=receiver spec.nodeName)
address=$(property "$CLUSTER_NAMESPACE" pod app=receiver status.podIP)

# rolls_out LISTENER: applies the manifest and waits until each pod is ready.
rolls_out() {
	sed "s|REGISTRY/sjkc|$CLUSTER_SJKC_IMAGE|; s|0.0.0.0:9464|$1|
		s|otel-collector.observability|$address|
		s|namespace: sjkc|namespace: $nodes|
		/^kind: Namespace/,/^---/s|name: sjkc|name: $nodes|" \
		packaging/daemonset.yaml | kubectl apply -f - >"$scratch/applied" 2>&1 &&
		kubectl -n "$nodes" rollout status daemonset/sjkc --timeout=300s \
			>>"$scratch/applied" 2>&1 && return
	cat "$scratch/applied"
	kubectl -n "$nodes" describe pods | tail -n 40
	kubectl -n "$nodes" logs daemonset/sjkc
	return 1
}

# on_node COMMAND…: runs it in sjkc's pod on the node.
on_node() {
	kubectl -n "$nodes" exec "$sampler" -- "$@" >"$scratch/out" 2>&1
}

# prints PATTERN COMMAND…: fails unless sjkc's pod prints the pattern.
prints() {
	pattern=$1
	shift
	on_node "$@" && grep -q -- "$pattern" "$scratch/out" && return
	echo "no '$pattern' in the output of $*:"
	cat "$scratch/out"
	return 1
}

# requests: decodes the requests in files of $scratch.
requests() {
	# shellcheck disable=SC2016 # for the inner shell
	kube exec "$receiver" -- sh -c 'cd /tmp && tar -cf - *.request' 2>/dev/null |
		tar -xf - -C "$scratch" 2>/dev/null || return 1
	for request in "$scratch"/*.request; do
		python3 tests/tools/otlp_check.py "$request" || return
	done >"$scratch/requests"
}

# has_resource SERVICE: whether requests have this service of this node.
has_resource() {
	grep "^resource .*service.name=$1 " "$scratch/requests" |
		grep "k8s.namespace.name=$CLUSTER_NAMESPACE" |
		grep -q "host.name=$node\\( \\|\$\\)"
}

# page HOST PATH: prints a page of sjkc to another pod.
page() {
	# shellcheck disable=SC2016 # for the inner shell
	kube exec "$receiver" -- bash -c 'exec 3<>"/dev/tcp/$0/9464" &&
		printf "GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n" "$1" >&3 && cat <&3' \
		"$1" "$2"
}

rolls_out 0.0.0.0:9464 && rolls_out '[::]:9464' || exit 1
sampler=$(kubectl -n "$nodes" get pods --field-selector "spec.nodeName=$node" \
	-o 'jsonpath={.items[?(@.status.phase=="Running")].metadata.name}')
for address in $(kubectl -n "$nodes" get pod "$sampler" \
	-o 'jsonpath={.status.podIPs[*].ip}'); do
	page "$address" /healthz >"$scratch/health"
	page "$address" /metrics >"$scratch/metrics"
	grep -q '^HTTP/1.* 200' "$scratch/health" &&
		grep -q '^process_resident_memory_bytes ' "$scratch/metrics" ||
		{ echo "at $address:"; cat "$scratch/health" "$scratch/metrics"; exit 1; }
	echo "| metrics at $address"
done

# The pod of another node may serve shop.
shop=$(kube get pods -l app=shop --field-selector "spec.nodeName=$node" \
	-o 'jsonpath={.items[0].metadata.name}')
name=${shop:-$receiver}
jvm=pod/$CLUSTER_NAMESPACE/$name
prints "^ *[0-9]* *1 .* $CLUSTER_NAMESPACE/$name *jvm " sjkc jps &&
	prints "$name" sjkc vminfo "$jvm" &&
	prints "$name.*jvm" sjkc ttop "$jvm" -b -ri 1s --iterations 1 &&
	prints "$name" sjkc prof "$jvm" -d 3s ||
	exit 1

for _ in $(seq 120); do
	requests && has_resource "${name%-*-*}" && has_resource receiver && break
	sleep 1
done
has_resource "${name%-*-*}" && has_resource receiver ||
	{ grep -h ^resource "$scratch/requests"; kubectl -n "$nodes" logs "$sampler"; exit 1; }
! grep '^resource .*k8s.pod.name' "$scratch/requests" || exit 1

page "$address" /metrics >"$scratch/metrics"
restarts=$(kubectl -n "$nodes" get pod "$sampler" \
	-o 'jsonpath={.status.containerStatuses[0].restartCount}')
grep -q '^sjkc_jvms{state="refused"} 0' "$scratch/metrics" && [ "$restarts" = 0 ] ||
	{ echo "$restarts restarts"; cat "$scratch/metrics"; exit 1; }
on_node sh -c 'cat /sys/fs/cgroup/memory/memory.max_usage_in_bytes \
	/sys/fs/cgroup/memory.peak 2>/dev/null | head -n 1'
echo "| memory: $(sed -n 's/^process_resident_memory_bytes //p' "$scratch/metrics") bytes resident," \
	"$(cat "$scratch/out") bytes at most in its cgroup, limit" \
	"$(kubectl -n "$nodes" get pod "$sampler" \
		-o 'jsonpath={.spec.containers[0].resources.limits.memory}')"
grep '^sjkc_jvms' "$scratch/metrics" | sed 's/^/| /'
