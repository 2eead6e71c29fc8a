# SPDX-License-Identifier: Apache-2.0
# Java's own JMX client, JConsole's classes and VisualVM reach the real Jolokia
# agent through mxprx --rmi; VisualVM only with EVERY_JDK.  With PICTURE=FILE.png,
# it takes a picture of VisualVM.
# Only in check-all: it starts many clients; mxprx_rmi_gives_clients_the_values_of_the_jvm
# has the JDK's own client.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh
. tests/jvm/lib/clients.sh

# The network is the test's own, so the port of the README is free.
at=127.0.0.1:7777

java_client() {
	jmx_client "$1" "$at" attributes operations recording loop 20 churn 2 &&
		cat "$scratch/client"
}

visualvm() {
	[ -n "${EVERY_JDK-}${PICTURE-}" ] || return 0
	{ [ -x /usr/bin/visualvm ] && command -v xvfb-run >/dev/null; } ||
		{ echo 'no VisualVM'; return 1; }
	# VisualVM runs on the default JDK, which is the oldest.
	visualvm_start "$(all_jdks | head -n 1)" || return
	visualvm_client main=JolokiaServer "$at" tab=Monitor ||
		{ cat "$scratch/visualvm.said"; return 1; }
	visualvm_shows '^Live threads$' && visualvm_shows '^Perform GC$' &&
		picture
}

# A minute of graphs.
picture() {
	[ -n "${PICTURE-}" ] || return 0
	sleep 60
	: >"$visualvm/picture"
	until [ -e "$visualvm/picture.png" ]; do
		sleep 1
	done
	cp "$visualvm/picture.png" "$PICTURE"
}

# All calls succeed but those that the Java client makes to see them fail.
calls_succeed() {
	[ "$(grep -c '	ok	' "$proxy_printed")" -gt 100 ] || return
	awk -F '\t' 'NF > 6 && $7 != "ok" { print $4, $7 }' "$proxy_printed" |
		sort -u >"$scratch/failed"
	! grep -v '^\(getAttribute\|getMBeanInfo\|invoke\) ' "$scratch/failed"
}

check() {
	# shellcheck disable=SC2154 # url: jolokia.sh
	jolokia_target "$1" Target -Dtarget.duty=25 -- burners=1 allocators=1 &&
		proxy -u "$url" -b 7777 --rmi --log || return
	{ java_client "$1" && jconsole_client "$1" "$at" && visualvm &&
		calls_succeed; } || { cat "$proxy_said"; return 1; }
	proxy_end TERM
}

for_each_jdk check
