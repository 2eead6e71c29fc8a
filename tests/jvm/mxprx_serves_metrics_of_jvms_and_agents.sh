#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mxprx serves the same metrics of one JVM through its local JMX connector (--http)
# and through the real Jolokia agent (-u); their values are those of the MBeans.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh

command -v curl >/dev/null || { echo 'no curl'; exit 77; }
mxprx_pids=
# shellcheck disable=SC2086 # pids
trap 'kill $mxprx_pids 2>/dev/null; target_end_all' EXIT

# serve OPTION…: starts mxprx and sets $proxy
serve() {
	"$sjkc" mxprx "$@" >"$scratch/out" 2>&1 &
	mxprx_pids="$mxprx_pids $!"
	for _ in $(seq 100); do
		proxy=$(sed -n 's,.* is at \(http://[^/]*\)/.*,\1,p' "$scratch/out")
		[ -z "$proxy" ] || return 0
		sleep 0.1
	done
	cat "$scratch/out"
	return 1
}

value() {
	sed -n "s/^$1 //p" "$scratch/metrics"
}

check() {
	curl -s -f "$proxy/metrics" >"$scratch/metrics" || return
	peak=$("$sjkc" mx -u "$url" -b java.lang:type=Runtime --get -q -f StartTime)
	[ "$(value process_start_time_seconds | tr -d .)" = "$peak" ] &&
		[ "$(value jmx_scrape_error)" = 0 ] &&
		grep -q '^jvm_memory_used_bytes{area="heap"} [1-9]' "$scratch/metrics" &&
		grep -q '^jvm_threads_state{state="RUNNABLE"} [1-9]' "$scratch/metrics" &&
		[ "$(value sjkc_test_Types_LongMax)" = 9223372036854775807 ] &&
		return
	cat "$scratch/metrics"
	return 1
}

jolokia_target "$(jdks | head -n 1)" Beans || exit
chosen=sjkc.test:type=Types:LongMax
# shellcheck disable=SC2154 # pid, url: target.sh, jolokia.sh
serve -p "$pid" --http 0 --metrics "$chosen" && check || exit
serve -u "$url" -b 0 --metrics "$chosen" --read-only && check
