# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after lab.sh, target.sh and proxy.sh, by tests with kubectl.  kubectl
# is real; the API server is a stand-in, see cluster_stand_in.py.
# shellcheck disable=SC2154 # variables of the caller

# kubectls: prints the directory of each kubectl: the installed one, and
# Debian's if tests/setup.sh unpacked it.
kubectls() {
	! command -v kubectl >/dev/null || dirname "$(command -v kubectl)"
	[ ! -x build/kubectl/usr/bin/kubectl ] || echo "$PWD/build/kubectl/usr/bin"
}

# cluster: starts the API server with the namespace shop, and sets $cluster to
# its directory.  Without kubectl, the test is skipped.
cluster() {
	[ -n "$(kubectls)" ] || { echo 'no kubectl'; exit 77; }
	cluster=$scratch/cluster
	mkdir -p "$cluster/shop/services" "$cluster/shop/deployments" \
		"$cluster/default"
	export HOME="$scratch" KUBECONFIG="$cluster/config"
	python3 tests/jvm/lib/cluster_stand_in.py "$cluster" \
		>"$scratch/cluster.said" 2>&1 &
	target_pids="$target_pids $!"
	target_wait "$KUBECONFIG" clusters "$!" ||
		{ cat "$scratch/cluster.said"; return 1; }
}

# cluster_pod NAME JDK [JSON]: starts a JVM with a random second port in a
# network of its own, with the settings $cluster_settings of lab_options, as this
# pod of the namespace shop.  Sets $pid and $inside.
cluster_pod() {
	# shellcheck disable=SC2086 # words
	lab_inside && lab_jvm "$2" random hostname ${cluster_settings-} -- door ||
		return
	cluster_describe "$1" "${3-}"
}

# cluster_describe NAME JSON: sets the description of the pod of $inside.
cluster_describe() {
	echo "$inside $2" >"$cluster/shop/.$1"
	mv "$cluster/shop/.$1" "$cluster/shop/$1"
}

# cluster_unpod NAME: ends the pod of $pid and $inside.
cluster_unpod() {
	rm "$cluster/shop/$1"
	target_end "$pid"
	kill "$inside"
	wait "$inside" 2>/dev/null
	return 0
}
