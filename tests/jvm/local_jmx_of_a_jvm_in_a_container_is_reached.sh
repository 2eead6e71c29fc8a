# SPDX-License-Identifier: Apache-2.0
# The local JMX connector of another user's JVM in its own namespaces, including a
# network namespace, is reached by root and by that user.  Without the right to
# enter the network namespace, sjkc reports the missing capability.
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/local_jmx.sh
root_only
chmod 755 "$scratch"
cp "$TOOLS/local_jmx" "$scratch/" && TOOLS=$scratch

in_its_network() {
	its=$(readlink "/proc/$pid/ns/net")
	readlink /proc/[0-9]*/ns/net 2>/dev/null | grep -cF "$its"
}

contained() {
	inner_net=1
	target_contained "$1" || return
	inner_net=
	before=$(in_its_network)
	local_jmx 0 start && greeted && printed 'started=1' || return
	local_jmx 0 find && greeted || return
	# The user who created the namespaces may enter them.
	local_jmx 0 find setpriv --reuid=4321 --regid=4321 --clear-groups &&
		greeted || return
	[ "$(in_its_network)" -eq "$before" ] ||
		{ echo 'a process is left in its network'; return 1; }
	alive "$pid" && attach_left_nothing "$pid" && target_end "$pid"
}

# only_ipv6 JDK: the loopback interface has no IPv4 address.
only_ipv6() {
	cat >"$scratch/ipv6.sh" <<-END
		ip link set lo up && ip addr del 127.0.0.1/8 dev lo || exit 1
		exec "\$@"
	END
	within="unshare --net sh $scratch/ipv6.sh"
	target "$1" || return
	within=
	local_jmx 0 start && greeted_at '[::1]' && target_end "$pid"
}

# no_loopback JDK: the loopback interface is down, so the agent is unreachable.
no_loopback() {
	within='unshare --net'
	target "$1" || return
	within=
	local_jmx 3 start && said 'cannot connect to 127.0.0.1' && alive "$pid" ||
		return
	# sjkc may not enter the network namespace.
	local_jmx 4 find setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin &&
		said 'network namespace; run as root' &&
		alive "$pid" && target_end "$pid"
}

check() {
	contained "$1" && only_ipv6 "$1" && no_loopback "$1"
}

for_each_jdk check
