# SPDX-License-Identifier: Apache-2.0
# Another user's, in namespaces of its own, its network among them; by root and by
# that user; and without the right to enter its network.
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
	looks 0 start && greeted && printed 'started=1' || return
	looks 0 find && greeted || return
	# Who made the namespaces may enter them.
	looks 0 find setpriv --reuid=4321 --regid=4321 --clear-groups &&
		greeted || return
	[ "$(in_its_network)" -eq "$before" ] ||
		{ echo 'a process is left in its network'; return 1; }
	alive "$pid" && no_litter "$pid" && target_end "$pid"
}

# only_ipv6 JDK: the loopback interface has no address of IPv4.
only_ipv6() {
	cat >"$scratch/ipv6.sh" <<-END
		ip link set lo up && ip addr del 127.0.0.1/8 dev lo || exit 1
		exec "\$@"
	END
	within="unshare --net sh $scratch/ipv6.sh"
	target "$1" || return
	within=
	looks 0 start && greeted_at '[::1]' && target_end "$pid"
}

# no_loopback JDK: it is down, so nobody gets to the JVM.
no_loopback() {
	within='unshare --net'
	target "$1" || return
	within=
	looks 3 start && said 'cannot connect to 127.0.0.1' && alive "$pid" ||
		return
	# It may not be entered.
	looks 4 find setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin &&
		said 'network namespace; run as root' &&
		alive "$pid" && target_end "$pid"
}

check() {
	contained "$1" && only_ipv6 "$1" && no_loopback "$1"
}

for_each_jdk check
