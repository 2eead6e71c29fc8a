#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A JVM in a pod, whose second port is one that it has just chosen: the proxy
# runs kubectl for both ports, again when a forward is lost in the middle of a
# session, and for the ports of the pod that takes the place of that one.
# kubectl is a stand-in, since there is no cluster; it prints what kubectl does.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/proxy.sh

export CLUSTER="$scratch/cluster"
mkdir -p "$CLUSTER/shop" "$scratch/bin"
ln -s "$PWD/tests/jvm/lib/kubectl-stand-in" "$scratch/bin/kubectl"
PATH=$scratch/bin:$PATH

# pod JDK: a JVM in a network of its own, called web-0.
pod() {
	lab_inside || return
	lab_jvm "$1" random hostname || return
	echo "$inside" >"$CLUSTER/shop/web-0"
}

# unpod: it has gone, and its network.
unpod() {
	rm "$CLUSTER/shop/web-0"
	target_end "$pid"
	kill "$inside"
	wait "$inside" 2>/dev/null
	return 0
}

# forwards: how many kubectl there are; grep is none of them.
forwards() {
	grep -l "$scratch/bin/[k]ubectl" /proc/[0-9]*/cmdline 2>/dev/null |
		wc -l
}

until_forwards() {
	for _ in $(seq 100); do
		[ "$(forwards)" -ne "$1" ] || return 0
		sleep 0.1
	done
	echo "$(forwards) kubectl run, not $1"
	return 1
}

serves() {
	rm -f "$CLUSTER/asked"
	pod "$1" || return
	proxy --kubectl web-0:9010 --namespace shop -b 0 || return
	jmx_client "$1" "127.0.0.1:$proxy_port" attributes notifications ||
		return
	until_forwards 2 || return
	cut -d ' ' -f 1,2 "$CLUSTER/asked" | sort | uniq -c |
		grep -q ' 2 shop web-0$' || { cat "$CLUSTER/asked"; return 1; }

	# Both forwards are lost while a client works: it fails, and the next
	# one does not.
	jmx_client "$1" "127.0.0.1:$proxy_port" loop 10000000 \
		>"$scratch/loop" 2>&1 &
	client=$!
	for _ in $(seq 600); do
		[ -z "$(ss -Htn state established "sport = $proxy_port")" ] ||
			break
		sleep 0.05
	done
	: >"$CLUSTER/drop"
	target_wait "$proxy_said" 'lost connection to pod; again in' || return
	: >"$CLUSTER/drop"
	wait "$client" && { echo 'it noticed nothing'; return 1; }
	until_forwards 2 || return
	rm -f "$CLUSTER/drop"
	jmx_client "$1" "127.0.0.1:$proxy_port" loop 100 || return

	# The pod is replaced; its JVM chooses another port.
	: >"$proxy_said"
	unpod
	target_wait "$proxy_said" 'NotFound.*again in' || return
	pod "$1" || return
	jmx_client "$1" "127.0.0.1:$proxy_port" attributes || return
	grep -q 'again$' "$proxy_said" || { cat "$proxy_said"; return 1; }
	proxy_end "$2" || return
	until_forwards 0 || return
	unpod
}

fails() {
	proxy --kubectl web-0:9010 -b 0 --timeout 2s || return
	target_wait "$proxy_said" 'pods "web-0" not found' || return
	proxy_end TERM && until_forwards 0
}

set -- TERM KILL
for jdk in $(jdks); do
	serves "$jdk" "$1" || exit 1
	shift
	[ $# -gt 0 ] || set -- TERM
done
fails
