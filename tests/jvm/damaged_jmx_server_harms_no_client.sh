# SPDX-License-Identifier: Apache-2.0
# Begins early: it mostly waits.
# The recorded replies of a JVM to each command are sent again: truncated,
# delayed, endless, not at all, or with other types and lengths.  The command
# ends by itself in time, uses at most 300 MB, and prints the reason.
# Only in check-all: thousands of replies; rmi_client_damage_test has the client without
# the commands, hostile_jmx_server_ends_mxdump_in_time a whole command.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh

check() {
	jmx_target "$1" || return
	timeout 400 python3 tests/jvm/lib/damaged_jmx.py "$sjkc" "$port" \
		"${EVERY_JDK:+8}" ||
		return
	alive "$pid" && target_end "$pid"
}

# tests/unit truncates the sessions of the other JDKs at every byte.
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }
check "$(jdks | tail -n 1)"
