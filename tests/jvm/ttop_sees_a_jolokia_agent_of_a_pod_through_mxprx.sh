#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ttop -u and jcmd -u reach the real Jolokia agent of a JVM in a pod's network
# through mxprx -u --kubectl.  kubectl is real; the cluster's API server is
# simulated.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh

. tests/jvm/lib/cluster.sh

cluster || exit 1
lab_inside || exit 1
within="nsenter --net=/proc/$inside/ns/net"
jolokia_target "$(jdks | head -n 1)" Target -Dtarget.duty=25 -- burners=2 || exit
# shellcheck disable=SC2034 # for target
within=
cluster_describe web-0 ""
# The agent is reachable only in the pod's network.
! "$sjkc" mxping -u "$url" >/dev/null 2>&1 || { echo 'no pod'; exit 1; }
# shellcheck disable=SC2154 # port, proxy_port: lib
proxy -u "http://localhost:$port/jolokia" --kubectl "web-0:$port" \
	--namespace shop -b 0 || exit
at=http://127.0.0.1:$proxy_port/jolokia
"$sjkc" ttop -u "$at" -b -ri 1s --iterations 1 -n 3 >"$scratch/ttop" ||
	{ cat "$scratch/ttop" "$proxy_said"; exit 1; }
grep -q '^\[[0-9]*\] user=.* burner-[01]$' "$scratch/ttop" ||
	{ cat "$scratch/ttop"; exit 1; }
{ "$sjkc" jcmd -u "$at" VM.version >"$scratch/jcmd" &&
	grep -q 'OpenJDK' "$scratch/jcmd"; } || { cat "$scratch/jcmd"; exit 1; }
[ -z "${SHOW-}" ] || cat "$proxy_printed" "$scratch/ttop"

# Another pod replaces it, with the same network and JVM.  kubectl notices this
# at the next connection, but the first request reaches the new pod.  mxprx keeps
# an idle connection for ten seconds, which still reaches the JVM.
local=$(sed -n 's/.*forwarded from 127.0.0.1:\([0-9]*\)$/\1/p' "$proxy_said")
for _ in $(seq 600); do
	[ -n "$(ss -Htn state established "dport = :$local")" ] || break
	sleep 0.1
done
previous=$inside
nsenter --net="/proc/$inside/ns/net" sleep 1800 &
target_pids="$target_pids $!"
inside=$!
until [ /proc/$inside/ns/net -ef "/proc/$previous/ns/net" ]; do
	kill -0 "$inside" || exit
	sleep 0.02
done
cluster_describe web-0 "" && kill "$previous" || exit
wait "$previous" 2>/dev/null
"$sjkc" mx -u "$at" -b java.lang:type=Runtime --get -f VmName \
	>"$scratch/mx" 2>&1 &&
	grep -q 'pod web-0 was replaced by pod web-0' "$proxy_said" ||
	{ cat "$scratch/mx" "$proxy_said"; exit 1; }
proxy_end TERM
