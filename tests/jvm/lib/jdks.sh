# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by target.sh and jfr.sh: selects the JDKs that a script runs.

# all_jdks: prints the home of each installed JDK and of each JDK that jdk_here
# made (jdk.sh), if it has the program $jdks_tool (default: javac).  tests/jvm.sh
# finds those with javac once, in $ALL_JDKS.
all_jdks() {
	if [ -n "${ALL_JDKS-}" ] && [ "${jdks_tool-javac}" = javac ]; then
		echo "$ALL_JDKS"
		return
	fi
	set --
	for home in /usr/lib/jvm/* \
		"${SJKC_JDK_CACHE:-/var/tmp/sjkc-jdks-$(id -u)}"/here/*; do
		[ ! -x "$home/bin/${jdks_tool-javac}" ] || set -- "$@" "$home"
	done
	[ $# -eq 0 ] || readlink -f "$@" | sort -u
}

# newest_jdk: prints the home of the newest JDK.
newest_jdk() {
	for home in $(all_jdks); do
		sed -n "s|^JAVA_VERSION=\"\([0-9]*\).*|\1 $home|p" "$home/release"
	done | sort -n | tail -n 1 | cut -d ' ' -f 2-
}

# jdks: prints the homes of the JDKs that the script runs.  A script of
# tests/jvm or tests/root has one, chosen by the hash of its name, so that each
# JDK has about the same number of scripts.  It has the newest if the script has a
# line "# Newest JDK: reason".  It has all of them if EVERY_JDK is set or if the
# script has a line "# Each JDK: reason".
jdks() {
	case $0 in
	*tests/jvm/*.sh | *tests/root/*.sh) ;;
	*) all_jdks; return ;;
	esac
	if [ -n "${EVERY_JDK-}" ] || grep -q '^# Each JDK: ' "$0"; then
		all_jdks
		return
	fi
	if grep -q '^# Newest JDK: ' "$0"; then
		newest_jdk
		return
	fi
	jdks_name=$(echo "${0##*/}" | cksum)
	# shellcheck disable=SC2046 # one word each
	set -- $(all_jdks)
	[ $# -gt 0 ] || return 0
	shift $((${jdks_name%% *} % $#))
	echo "$1"
}
