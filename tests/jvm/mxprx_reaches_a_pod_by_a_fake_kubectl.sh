#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The JVM is in a pod and chose its second port.  The proxy runs kubectl for
# both ports, restarts it if a forward is lost during a session, and forwards
# the ports of the pod that replaces this one.  kubectl is a script that prints
# what kubectl prints.  With $kubectl_is_real, it is kubectl with a fake API
# server.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/proxy.sh

export CLUSTER="$scratch/cluster"
mkdir -p "$CLUSTER/shop" "$CLUSTER/default" "$scratch/bin"
pod=web-$$

if [ -n "${kubectl_is_real-}" ]; then
	export HOME="$scratch" KUBECONFIG="$CLUSTER/config"
	python3 tests/jvm/lib/cluster_stand_in.py "$CLUSTER" \
		>"$scratch/cluster.said" 2>&1 &
	target_pids="$target_pids $!"
	target_wait "$KUBECONFIG" clusters "$!" || { cat "$scratch/cluster.said"; exit 1; }
else
	ln -s "$PWD/tests/jvm/lib/kubectl-stand-in" "$scratch/bin/kubectl"
	PATH=$scratch/bin:$PATH
fi

# pod JDK: starts a JVM in its own network, as the pod $pod.
pod() {
	lab_inside || return
	lab_jvm "$1" random hostname -- door || return
	echo "$inside" >"$CLUSTER/shop/$pod"
}

# unpod: ends the JVM and its network.
unpod() {
	rm "$CLUSTER/shop/$pod"
	target_end "$pid"
	kill "$inside"
	wait "$inside" 2>/dev/null
	return 0
}

# forwards: prints the number of kubectl processes for the pod.  The pattern
# excludes grep and mxprx.
forwards() {
	# shellcheck disable=SC2046 # words
	grep -l port-forward /dev/null $(grep -l "$pod" /proc/[0-9]*/cmdline \
		2>/dev/null) 2>/dev/null | wc -l
}

until_forwards() {
	for _ in $(seq 600); do
		[ "$(forwards)" -ne "$1" ] || return 0
		sleep 0.1
	done
	echo "$(forwards) kubectl run, not $1"
	return 1
}

# until_again COUNT: waits up to 60 s until COUNT lost forwards were restarted.
until_again() {
	for _ in $(seq 600); do
		again=$(grep -ac ' forwarded from .* again$' "$proxy_said")
		[ "$again" -lt "$1" ] || return 0
		sleep 0.1
	done
	echo "$again forwards were restarted, not $1:"
	cat "$proxy_said"
	return 1
}

serves() {
	pod "$1" || return
	proxy --kubectl "$pod:9010" --namespace shop -b 0 --timeout 120s ||
		return
	jmx_client "$1" "127.0.0.1:$proxy_port" attributes notifications ||
		return
	until_forwards 2 || return

	# Both forwards are lost during a call: the call fails, and the next
	# client is served.
	jmx_client "$1" "127.0.0.1:$proxy_port" held >"$scratch/held" 2>&1 &
	client=$!
	target_wait "$said" ENTERED || { cat "$scratch/held"; return 1; }
	: >"$CLUSTER/drop"
	wait "$client" && { echo 'the call did not fail'; return 1; }
	grep -q 'held: FAILED: java.rmi' "$scratch/held" ||
		{ cat "$scratch/held"; return 1; }
	until_again 2 || return
	jmx_client "$1" "127.0.0.1:$proxy_port" loop 100 || return

	# The pod is replaced; its JVM chooses another port.
	: >"$proxy_said"
	unpod
	target_wait "$proxy_said" 'NotFound.*restarting it in' || return
	pod "$1" || return
	jmx_client "$1" "127.0.0.1:$proxy_port" attributes || return
	grep -q 'again$' "$proxy_said" || { cat "$proxy_said"; return 1; }
	proxy_end "$2" || return
	until_forwards 0 || return
	unpod
}

fails() {
	proxy --kubectl "$pod:9010" -b 0 --timeout 2s || return
	target_wait "$proxy_said" 'pods "'"$pod"'" not found' || return
	proxy_end TERM && until_forwards 0
}

set -- TERM KILL
for jdk in $(jdks); do
	serves "$jdk" "$1" || exit 1
	shift
	[ $# -gt 0 ] || set -- TERM
done
fails
