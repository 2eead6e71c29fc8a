#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real Prometheus scrapes one JVM through mxprx --http, through mxprx -u
# before the real Jolokia agent, and through mxprx -u before mxprx --http.  Its
# API returns the values of the MBeans, and promtool reports no problem in the
# documents.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh

# tests/setup.sh unpacks the Debian package there.
PATH=$PATH:$PWD/build/prometheus/usr/bin
command -v prometheus >/dev/null || { echo 'no prometheus'; exit 77; }
command -v curl >/dev/null || { echo 'no curl'; exit 77; }

# check_document: runs promtool on the document at $proxy_port and prints its
# report.
check_document() {
	curl -s -f "http://127.0.0.1:$proxy_port/metrics" >"$scratch/metrics" &&
		promtool check metrics <"$scratch/metrics" \
			>"$scratch/promtool" 2>&1 &&
		[ ! -s "$scratch/promtool" ] &&
		grep -q '^sjkc_scrape_unreadable 0$' "$scratch/metrics" &&
		return
	cat "$scratch/promtool" "$scratch/metrics"
	return 1
}

# scrape_job NAME OPTION…: a scrape job for a new mxprx.
scrape_job() {
	job=$1
	shift
	proxy "$@" && check_document || return
	cat >>"$scratch/prometheus.yml" <<-END
		  - job_name: $job
		    static_configs: [{targets: ["127.0.0.1:$proxy_port"]}]
	END
}

# query EXPRESSION: prints "job value" of each series, by job.
query() {
	curl -s -G --data-urlencode "query=$1" \
		"http://127.0.0.1:$prometheus_port/api/v1/query" |
		python3 -c '
import json, sys
for one in sorted(json.load(sys.stdin)["data"]["result"],
                  key=lambda one: one["metric"].get("job", "")):
    print(one["metric"].get("job"), one["value"][1])' 2>&1
}

# all_jobs_have VALUE EXPRESSION: waits up to 60 s until each job has this
# value.
all_jobs_have() {
	for _ in $(seq 240); do
		[ "$(query "$2")" = "agent $1
bridge $1
chain $1" ] && return
		sleep 0.25
	done
	echo "$2 is not $1:"
	query "$2"
	cat "$scratch/prometheus.log"
	return 1
}

printf 'global: {scrape_interval: 1s}\nscrape_configs:\n' \
	>"$scratch/prometheus.yml"
jolokia_target "$(jdks | head -n 1)" Beans || exit
# shellcheck disable=SC2154 # pid, url, proxy_port: lib
{
	scrape_job agent -u "$url" -b 0 &&
		scrape_job bridge -p "$pid" --http 0 &&
		scrape_job chain -u "http://127.0.0.1:$proxy_port/jolokia" -b 0
} || exit
promtool check config "$scratch/prometheus.yml" >"$scratch/promtool" 2>&1 ||
	{ cat "$scratch/promtool"; exit 1; }
prometheus_port=$(free_port)
prometheus --config.file="$scratch/prometheus.yml" --log.level=warn \
	--storage.tsdb.path="$scratch/tsdb" \
	--web.listen-address="127.0.0.1:$prometheus_port" \
	>"$scratch/prometheus.log" 2>&1 &
target_pids="$target_pids $!"

start=$("$sjkc" mx -u "$url" -b java.lang:type=Runtime --get -q -f StartTime)
heap_max=$("$sjkc" mx -p "$pid" -b java.lang:type=Memory --get -q \
	-f HeapMemoryUsage.max)
all_jobs_have 1 up &&
	all_jobs_have "$start" 'round(process_start_time_seconds * 1000)' &&
	all_jobs_have "$heap_max" 'jvm_memory_max_bytes{area="heap"}' &&
	all_jobs_have 6 'count by (job) (jvm_threads_state)' &&
	all_jobs_have 0 'max_over_time(jmx_scrape_error[1m])' &&
	all_jobs_have 1 'sum by (job) (jvm_info) == bool 1'
