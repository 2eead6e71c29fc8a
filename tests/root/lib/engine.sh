# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced, after tests/jvm/lib/target.sh, by tests of `prof --push`.
# tests/tools/otlp_engine.py is the receiver.
# shellcheck disable=SC2034,SC2154 # variables of the caller
engine=$scratch/engine
mkdir -p "$engine"

# engine_start: starts the receiver, again at its port; sets $engine_pid, $engine_port
engine_port=0
engine_start() {
	rm -f "$engine/port"
	python3 tests/tools/otlp_engine.py "$engine" "$engine_port" \
		>"$scratch/engine.err" 2>&1 &
	engine_pid=$!
	target_jobs="$target_jobs $engine_pid"
	target_wait "$engine/port" . "$!" || { cat "$scratch/engine.err"; return 1; }
	engine_port=$(cat "$engine/port")
}

engine_end() {
	kill "$engine_pid"
	wait "$engine_pid" 2>/dev/null
}

# engine_samples: the number of samples in all requests
engine_samples() {
	cat "$engine"/*.txt 2>/dev/null | awk '
		/^  / { sub(/ thread[._]name=.*/, ""); sum += $NF }
		END { print sum + 0 }'
}

# engine_accepts: fails if a request broke a rule of receivers
engine_accepts() {
	for bad in "$engine"/*.bad; do
		[ ! -e "$bad" ] || { cat "$bad"; return 1; }
	done
}

# engine_agrees FILE: whether prof's messages in FILE report that as many samples
# were delivered as the receiver has, and as were taken
engine_agrees() {
	delivered=$(sed -n 's/.*: delivered \([0-9]*\) of \([0-9]*\) samples*.*/\1 \2/p' "$1")
	got=$(engine_samples)
	[ "$delivered" = "$got $got" ] && [ "$got" -gt 0 ] && return
	echo "delivered '$delivered' samples, the backend has $got"
	cat "$1" "$engine/log"
	return 1
}
