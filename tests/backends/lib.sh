# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after tests/jvm/lib/target.sh and tests/root/lib/prof.sh, by tests of
# profiling backends that run already.
# shellcheck disable=SC2034,SC2154 # variables of the caller

# backend_target: starts a JVM of a service that the backend does not know, which has all
# events.  Sets $service and $since.
backend_target() {
	service=sjkc-check-$$-$(date +%s)
	since=$(date +%s)
	target_program=Hostile
	target "$(jdks | head -n 1)" "-Dotel.service.name=$service" || return
}

# backend_prof STATUS URL OPTION…: pushes for some seconds while the JVM collects, and
# writes the same to the directory $written/
written=$scratch/written
backend_prof() {
	mkdir -p "$written"
	backend_status=$1 url=$2
	shift 2
	prof_start -p "$pid" -F 99 --interval 2s --shutdown-timeout 60s --push "$url" \
		-o "$written/" "$@" || return
	target_wait "$prof_err" 'sampling ' "$prof_job" || return
	for _ in 1 2 3; do
		"$sjkc" jcmd "$pid" GC.run >/dev/null
		sleep 1
	done
	kill -INT "$prof_pid"
	prof_end "$backend_status"
}

# backend_agrees BACKEND ADDRESS OPTION…: the backend has what was written, to the
# sample, under the same names
backend_agrees() {
	backend=$1 address=$2
	shift 2
	python3 tests/tools/backend_query.py "$backend" "$address" "$service" "$since" \
		"$written" "$@" && return
	cat "$prof_err"
	return 1
}
