# SPDX-License-Identifier: Apache-2.0
# kubectl debug with the profiles of README.md: general suffices for commands that
# attach, sysadmin also for prof.  With restricted and the JVM's user, mxprx -p makes
# a JVM without JMX options reachable.  ttop prints the limit of the container.
sjkc=$1 scratch=$2
. tests/cluster/pods.sh

# debugger PROFILE [OPTION…]: adds a container with sjkc to the pod.
debugger() {
	profile=$1
	shift
	kube debug "$pod" --image="$CLUSTER_IMAGE" --target=jvm -c "$profile" \
		--profile="$profile" "$@" -- sleep 1800 >"$scratch/debug" 2>&1
	for _ in $(seq 120); do
		within true >>"$scratch/debug" 2>&1 && break
		sleep 1
	done
	within tar -xzf - -C /tmp <"$CLUSTER_TARBALL" >>"$scratch/debug" 2>&1 &&
		return
	cat "$scratch/debug"
	return 1
}

within() { kube exec -i "$pod" -c "$profile" -- "$@"; }

# runs ARGUMENT…: runs sjkc there.
runs() {
	# shellcheck disable=SC2016 # for the inner shell
	within sh -c '/tmp/sjkc-*/sjkc "$@"' - "$@" </dev/null >"$scratch/out" 2>&1
}

attaches() {
	runs jps && grep -q Shop "$scratch/out" && runs jcmd 1 VM.version &&
		runs threads 1 && runs ttop 1 -b -ri 1s --iterations 1 &&
		grep -q 'container limit 0.50 CPUs' "$scratch/out" && return
	echo "$profile:"
	cat "$scratch/out"
	return 1
}

pod=$(kube get pods -l app=shop -o name | head -n 1)
pod=${pod#pod/}
debugger general && attaches || exit 1
! runs prof 1 -d 1s -o /tmp/p.collapsed && grep -q CAP_ "$scratch/out" ||
	{ cat "$scratch/out"; exit 1; }
debugger sysadmin && attaches || exit 1
runs prof 1 -d 3s -o /tmp/p.collapsed && within grep -q Shop.main /tmp/p.collapsed ||
	{ cat "$scratch/out"; exit 1; }
echo '{"securityContext": {"runAsUser": 1000}}' >"$scratch/user.json"
debugger restricted --custom="$scratch/user.json" && attaches || exit 1
runs mxprx -p 1 -b 127.0.0.1:7851 &
target_pids="$target_pids $!"
target_wait "$scratch/out" ' is at ' "$!" && forwarded "$pod:7851" && serves &&
	proxy_end TERM
