# SPDX-License-Identifier: Apache-2.0
# mxprx --kubectl reaches a pod, a service whose port differs from the pod's, and
# a deployment, also by named ports.  When the pod that serves has ended, the first
# call reaches another pod, and ttop -s shows the JVM of another pod.
sjkc=$1 scratch=$2
. tests/cluster/pods.sh

pod=$(kube get pods -l app=shop -o name | head -n 1)
for target in svc/shop:80 service/shop:admin "$pod:jmx" deployment/shop:9010; do
	forwarded "$target" && serves || { echo "$target"; exit 1; }
	[ "$target" != "$pod:jmx" ] || [ "pod/$serving" = "$pod" ] ||
		{ echo "$serving serves, not $pod"; exit 1; }
	[ "$target" = deployment/shop:9010 ] || proxy_end TERM || exit 1
done
for _ in 1 2 3; do
	first=$serving
	kube rollout status --timeout=300s deployment/shop >"$scratch/rollout" 2>&1 &&
		kube delete pod "$first" >>"$scratch/rollout" 2>&1 ||
		{ cat "$scratch/rollout"; exit 1; }
	serves && [ "$serving" != "$first" ] &&
		grep -q "pod $first was replaced by pod $serving" "$proxy_said" ||
		{ echo "$serving serves"; cat "$proxy_said"; exit 1; }
done

env --default-signal=QUIT,INT "$sjkc" ttop -s "127.0.0.1:$proxy_port" -b -ri 500ms -n 1 --timeout 10s \
	--reconnect 10m >"$scratch/top" 2>"$scratch/top.said" &
top=$!
target_pids="$target_pids $top"
target_wait "$scratch/top" 'thread count' "$top" &&
	kube delete pod "$serving" >"$scratch/rollout" 2>&1 &&
	target_wait "$scratch/top.said" 'the JVM was restarted' "$top" ||
	{ cat "$scratch/top.said" "$proxy_said"; exit 1; }
: >"$scratch/top"
target_wait "$scratch/top" 'thread count' "$top" && kill -INT "$top" &&
	perl "$target_await" end "$top" ||
	{ cat "$scratch/top.said" "$proxy_said"; exit 1; }
proxy_end TERM
