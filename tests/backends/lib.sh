# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after tests/jvm/lib/target.sh and tests/root/lib/prof.sh, by tests of
# real profiling backends.
# shellcheck disable=SC2034,SC2154 # variables of the caller

# backend_target: starts a JVM of a service that the backend does not know, which has all
# events.  Sets $service and $since.
backend_target() {
	service=sjkc-check-$$-$(date +%s)-$target_number
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

# pyroscope_got_all OPTION…: the $sent samples of cpu that prof delivered are stored, and
# none more often than prof reports
pyroscope_got_all() {
	sent=$(sed -n 's/.*: delivered \([1-9][0-9]*\) of \1 samples.*/\1/p' "$prof_err")
	twice=$(sed -n 's/.*perhaps stored again: \([0-9]*\) samples.*/\1/p' "$prof_err")
	echo "| $url: delivered $sent samples, perhaps stored again ${twice:-0}"
	[ -n "$sent" ] && backend_agrees pyroscope "$address" --twice "${twice:-0}/$sent" "$@"
}

# pyroscope_alone SCRIPT ARGUMENT…: runs the script again in a network of its own, in which
# all ports of the program $PYROSCOPE are free
pyroscope_alone() {
	case ${PYROSCOPE-} in
	*/*) [ -x "$PYROSCOPE" ] || { echo "no program $PYROSCOPE"; exit 1; } ;;
	*) echo 'PYROSCOPE=PATH of the program is not set'; exit 77 ;;
	esac
	PYROSCOPE=$(realpath "$PYROSCOPE")
	export PYROSCOPE
	[ -n "${PYROSCOPE_ALONE-}" ] ||
		PYROSCOPE_ALONE=1 exec unshare --net sh "$@"
	ip link set lo up || { echo 'no ip'; exit 77; }
}

# pyroscope_start OPTION…: starts it with the store of this script, and waits until it
# accepts profiles; sets $pyroscope_pid
pyroscope_start() {
	mkdir -p "$scratch/pyroscope"
	(
		cd "$scratch/pyroscope" || exit
		for one in distributor.ring.instance query-scheduler.ring.instance \
			overrides-exporter.ring.instance compactor.ring.instance \
			store-gateway.sharding-ring.instance query-frontend.instance \
			memberlist.bind memberlist.advertise ingester.lifecycler. \
			segment-writer.lifecycler.; do
			case $one in
			*.) set -- "-${one}addr=127.0.0.1" "$@" ;;
			*) set -- "-$one-addr=127.0.0.1" "$@" ;;
			esac
		done
		exec "$PYROSCOPE" -usage-stats.enabled=false -self-profiling.disable-push \
			-architecture.storage=v2 \
			-server.http-listen-address=127.0.0.1 \
			-server.grpc-listen-address=127.0.0.1 "$@"
	) >>"$scratch/pyroscope.log" 2>&1 &
	pyroscope_pid=$!
	target_jobs="$target_jobs $pyroscope_pid"
	for _ in $(seq 600); do
		! "$sjkc" doctor --push grpc://127.0.0.1:4040 \
			--header-file "$header" >"$scratch/ready" 2>&1 || return 0
		kill -0 "$pyroscope_pid" || break
		sleep 0.2
	done
	tail -n 5 "$scratch/pyroscope.log"
	cat "$scratch/ready"
	return 1
}

# The tenant of all requests.
header=$scratch/header
echo 'X-Scope-OrgID: team' >"$header"
