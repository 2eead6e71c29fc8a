#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Only in check-all: 11 s of CPU time; another script resolves targets by kubectl.
# The JVM is in a pod and chose its second port.  The proxy runs kubectl for
# both ports, restarts it if a forward is lost during a session, and forwards
# the ports of the pod that replaces this one.  The last line tests each kubectl:
# those before 1.31 use SPDY, later ones WebSockets.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/proxy.sh

. tests/jvm/lib/cluster.sh
cluster || exit 1
pod=web-$$

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

serves() {
	cluster_pod "$pod" "$1" || return
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
	: >"$cluster/drop"
	wait "$client" && { echo 'the call did not fail'; return 1; }
	grep -q 'held: FAILED: java.rmi' "$scratch/held" ||
		{ cat "$scratch/held"; return 1; }
	jmx_client "$1" "127.0.0.1:$proxy_port" loop 100 || return
	! grep 'replaced' "$proxy_said" || return

	# The pod is replaced; its JVM chooses another port.  The first client
	# is served, and ttop connects again.
	"$sjkc" ttop -s "127.0.0.1:$proxy_port" -b -ri 500ms -n 1 \
		--timeout 10s --reconnect 10m >"$scratch/ttop" \
		2>"$scratch/ttop.said" &
	ttop=$!
	target_pids="$target_pids $ttop"
	target_wait "$scratch/ttop" 'thread count' "$ttop" || return
	: >"$proxy_said"
	cluster_unpod "$pod"
	cluster_pod "$pod" "$1" || return
	jmx_client "$1" "127.0.0.1:$proxy_port" attributes ||
		{ cat "$proxy_said" "$scratch/cluster.said"; return 1; }
	target_wait "$scratch/ttop.said" 'the JVM was restarted' "$ttop" ||
		{ cat "$scratch/ttop.said" "$proxy_said"; return 1; }
	: >"$scratch/ttop"
	target_wait "$scratch/ttop" 'thread count' "$ttop" || return
	end "$ttop" || return
	grep -q "pod $pod was replaced by pod $pod" "$proxy_said" ||
		{ cat "$proxy_said"; return 1; }
	until_forwards 2 && proxy_end "$2" && until_forwards 0 || return
	cluster_unpod "$pod"
}

# end PID: ends ttop, which then succeeds.
end() {
	kill -TERM "$1"
	wait "$1" || { echo "ttop: $?"; cat "$scratch/ttop.said"; return 1; }
}

set -- TERM KILL
first=$PATH
jdk=$(jdks | head -n 1)
for directory in $(kubectls); do
	PATH=$directory:$first
	rm -f "$cluster/requests" "$cluster/drop"
	serves "$jdk" "$1" || { kubectl version --client; exit 1; }
	grep -q "^[A-Z]* .*/$pod/portforward" "$cluster/requests" || exit 1
	[ -z "${SHOW-}" ] || { kubectl version --client; grep portforward "$cluster/requests"; }
	shift
	[ $# -gt 0 ] || set -- TERM
done
