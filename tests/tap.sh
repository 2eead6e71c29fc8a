# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by shell tests; prints results as TAP.
tap_number=0
tap_failed=0

# tap_result NAME [FAULTS]: the test passed if FAULTS is empty.
tap_result() {
	tap_number=$((tap_number + 1))
	if [ -z "${2-}" ]; then
		echo "ok $tap_number - $1"
	else
		echo "not ok $tap_number - $1"
		printf '%s\n' "$2" | sed 's/^/# /'
		tap_failed=1
	fi
}

# tap_skip NAME REASON
tap_skip() {
	tap_number=$((tap_number + 1))
	echo "ok $tap_number - $1 # SKIP $2"
}

tap_end() {
	echo "1..$tap_number"
	exit $tap_failed
}
