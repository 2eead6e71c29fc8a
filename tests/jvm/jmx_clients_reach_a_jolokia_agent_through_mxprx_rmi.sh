# SPDX-License-Identifier: Apache-2.0
# Java's own JMX client reaches the real Jolokia agent through mxprx --rmi.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh

check() {
	jolokia_target "$1" Target && proxy -u "$url" -b 0 --rmi || return
	client=$(target_compile "$1" JmxClient) || return
	timeout 300 "$1/bin/java" -cp "$client" JmxClient \
		"127.0.0.1:$proxy_port" attributes operations loop 20 churn 2 \
		>"$scratch/client" 2>&1 ||
		{ cat "$scratch/client" "$proxy_said"; return 1; }
	cat "$scratch/client"
	proxy_end TERM
}

for_each_jdk check
