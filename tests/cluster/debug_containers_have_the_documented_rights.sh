# SPDX-License-Identifier: Apache-2.0
# kubectl debug with the profiles of README.md: general suffices for commands that
# attach, sysadmin also for prof.  Where the namespace enforces the restricted policy,
# a debug container with the JVM's user needs no capability, and mxprx -p makes a JVM
# without JMX options reachable.  ttop and vminfo print the limits of the JVM's
# container, not of their own.
sjkc=$1 scratch=$2
. tests/cluster/pods.sh

# debugger PROFILE [OPTION…]: adds a container with sjkc to the pod.
debugger() {
	profile=$1
	shift
	kube debug "$pod" --image="${CLUSTER_SJKC_IMAGE:-$CLUSTER_IMAGE}" \
		--target=jvm -c "$profile" --profile="$profile" "$@" \
		-- sleep 1800 >"$scratch/debug" 2>&1
	for _ in $(seq 120); do
		within true >>"$scratch/debug" 2>&1 && break
		sleep 1
	done
	[ -z "$CLUSTER_SJKC_IMAGE" ] || return 0
	within tar -xzf - -C /tmp <"$CLUSTER_TARBALL" >>"$scratch/debug" 2>&1 &&
		return
	cat "$scratch/debug"
	return 1
}

within() { kube exec -i "$pod" -c "$profile" -- "$@"; }

# runs ARGUMENT…: runs sjkc there.
runs() {
	# shellcheck disable=SC2016 # for the inner shell
	within sh -c 'PATH=$PATH:$(echo /tmp/sjkc-*) exec sjkc "$@"' - "$@" \
		</dev/null >"$scratch/out" 2>&1
}

# prints PATTERN ARGUMENT…: fails unless sjkc there prints the pattern.
prints() {
	pattern=$1
	shift
	runs "$@" && grep -q -- "$pattern" "$scratch/out" && return
	echo "$profile: no '$pattern' in the output of sjkc $*:"
	cat "$scratch/out"
	return 1
}

# attaches CPUS MEMORY: the commands work, and print these limits.
attaches() {
	prints Shop jps && prints 'OpenJDK\|HotSpot' jcmd 1 VM.version &&
		prints main threads 1 &&
		prints "container limit $1 CPUs" ttop 1 -b -ri 1s --iterations 1 &&
		prints "CPUs:.* limited by its cgroup to $1" vminfo 1 &&
		prints "memory:.* limited by its cgroup to $2 MB" vminfo 1
}

pod=$(kube get pods -l app=shop -o name | head -n 1)
pod=${pod#pod/}
debugger general && attaches 0.50 384 || exit 1
! runs prof 1 -d 1s -o /tmp/p.collapsed && grep -q CAP_ "$scratch/out" ||
	{ cat "$scratch/out"; exit 1; }
# The debug container inherits runAsUser of the pod.
echo '{"securityContext": {"runAsUser": 0, "runAsNonRoot": false}}' >"$scratch/root.json"
debugger sysadmin --custom="$scratch/root.json" && attaches 0.50 384 || exit 1
runs prof 1 -d 3s -o /tmp/p.collapsed && within grep -q Shop.main /tmp/p.collapsed ||
	{ cat "$scratch/out"; exit 1; }

kube label namespace "$CLUSTER_NAMESPACE" \
	pod-security.kubernetes.io/enforce=restricted >"$scratch/label" 2>&1 ||
	{ cat "$scratch/label"; exit 1; }
pod=plain
echo '{"securityContext": {"runAsUser": 1000}}' >"$scratch/user.json"
debugger restricted --custom="$scratch/user.json" && attaches 0.30 320 || exit 1
runs mxprx -p 1 -b 127.0.0.1:7851 &
target_pids="$target_pids $!"
target_wait "$scratch/out" ' is at ' "$!" && forwarded plain:7851 && serves ||
	exit 1
[ "$serving" = plain ] || { echo "$serving serves"; exit 1; }
jdk=$(jdks | head -n 1)
[ -z "$jdk" ] || jconsole_client "$jdk" "127.0.0.1:$proxy_port" || exit 1
proxy_end TERM
