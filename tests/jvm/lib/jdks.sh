# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by target.sh and jfr.sh: which of the installed JDKs a script runs.

# all_jdks: the homes of the installed JDKs and of those that jdk_here made (jdk.sh),
# each once; those with $jdks_tool.
all_jdks() {
	for home in /usr/lib/jvm/* \
		"${SJKC_JDK_CACHE:-/var/tmp/sjkc-jdks-$(id -u)}"/here/*; do
		[ ! -x "$home/bin/${jdks_tool-javac}" ] || readlink -f "$home"
	done | sort -u
}

# jdks: one of them, for a script of tests/jvm or tests/root: which one
# depends on the script's name, so that about as many scripts run each JDK.  All
# of them with EVERY_JDK set, and for a script with a line "# Each JDK: why".
jdks() {
	case $0 in
	*tests/jvm/*.sh | *tests/root/*.sh) ;;
	*) all_jdks; return ;;
	esac
	if [ -n "${EVERY_JDK-}" ] || grep -q '^# Each JDK: ' "$0"; then
		all_jdks
		return
	fi
	all_jdks | awk -v name="$(basename "$0" | cksum)" '
		{ jdk[NR - 1] = $0 }
		END { if (NR) print jdk[int(name) % NR] }'
}
