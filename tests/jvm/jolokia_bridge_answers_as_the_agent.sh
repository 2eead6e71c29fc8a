#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mxprx --http answers over 450 requests as the real Jolokia agent of the same JVM
# does, except for the differences that jolokia_comparison.py lists and explains.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh

check() {
	jolokia_target "$1" Beans '-Dsjkc/a!b"c=d' || exit
	# shellcheck disable=SC2154 # url, pid, proxy_port: the libraries
	proxy -p "$pid" --http 0 || return
	timeout 300 python3 tests/jvm/lib/jolokia_comparison.py "$url" \
		"http://127.0.0.1:$proxy_port/jolokia" ||
		{ cat "$proxy_said"; return 1; }
	proxy_end TERM && target_end "$pid"
}

for_each_jdk check
