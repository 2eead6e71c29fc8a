# SPDX-License-Identifier: Apache-2.0
# The precondition of the tests of mxprx: in the JVM's network, a Java client
# works. In the outer network, it reads the stub through the forwarded port, but
# cannot connect to the address in the stub.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh

from_inside() {
	(
		jmx_java="nsenter --net=/proc/$inside/ns/net"
		jmx_client "$1" "$lab_address:$jmx_port" attributes operations \
			notifications loop 100 churn 3
	) && grep -q '^notifications: three' "$scratch/client"
}

# closed TEXT: fails unless the client is rejected with a message that has TEXT.
closed() {
	jmx_client "$jdk" "127.0.0.1:17010" shut || return
	grep -q "^shut: .*$1" "$scratch/client" && return
	cat "$scratch/client"
	return 1
}

check() {
	lab_inside && lab_jvm "$1" same &&
		lab_forward 17010 "$jmx_port" &&
		from_inside "$1" &&
		closed "refused to host: $lab_address\|onnect.*$lab_address" &&
		target_end "$pid" || return
	lab_jvm "$1" same hostname && closed "$lab_name" &&
		target_end "$pid" && lab_unforward && target_end "$inside"
}

for_each_jdk check
