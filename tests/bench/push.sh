#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/push.sh SJKC[,SJKC...]
#
# Measures `prof --all --push` at 19 Hz with several numbers of quiet JVMs: at most
# 1 % of a core and 100 MB with 20 of them.  $COUNTS, $RUNS and $SECONDS_EACH change
# the numbers of JVMs, the runs with each, and the seconds that are measured.
# $ASYNC_PROFILER, the path of libasyncProfiler.so, adds its costs in the JVMs.
#
# The JVMs run in a PID namespace of their own, so that --all finds no others.
if [ -z "${PUSH_INSIDE-}" ]; then
	[ "$(id -u)" -eq 0 ] || { echo 'push: skipped: not root'; exit 0; }
	PUSH_INSIDE=1 exec unshare -pf --mount-proc sh "$0" "$@"
fi
set -u
cd "$(dirname "$0")/../.." || exit 2
scratch=$(mktemp -d)
. tests/jvm/lib/jdks.sh
setting=kernel.bpf_stats_enabled
before=$(sysctl -n $setting)
trap 'rm -rf "$scratch"; sysctl -qw "$setting=$before"' EXIT
sysctl -qw $setting=1
jdk=$(jdks | head -n 1)
"$jdk/bin/javac" -nowarn -d "$scratch" tests/bench/QuietProgram.java || exit 1
echo "prof --all --push ($(basename "$jdk")):"
python3 tests/bench/push.py "$1" "$jdk" "$scratch" "${COUNTS:-1,5,10,20,40}" \
	"${RUNS:-3}" "${SECONDS_EACH:-60}" "${ASYNC_PROFILER-}"
