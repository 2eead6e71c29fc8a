# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154 # variables of the caller
# Sourced first, with $scratch set, by tests that must not see the JVMs of other tests:
# tests of `sjkc prof --all`, or of tools that read the files of each JVM.  Begins the
# script again in PID and mount namespaces of its own, as root.  They have their own
# /tmp: JVMs with equal PIDs would use the same files there (JDK-8286030).
#
#	sjkc=$1
#	scratch=$2
#	. tests/jvm/lib/alone.sh
if [ "${ALONE-}" != "$scratch" ]; then
	export ALONE="$scratch"
	exec unshare --pid --fork --kill-child --mount --propagation private \
		--mount-proc sh "$0" "$@"
fi
[ $$ -eq 1 ] || { echo "not alone: $$"; exit 1; }
mkdir "$scratch/tmp" && chmod 1777 "$scratch/tmp" || exit 1
# The directories of the test, and of the sources, keep their paths.
for kept in "$scratch" "$PWD"; do
	case $kept in
	/tmp/*)
		mkdir -p "$scratch/tmp${kept#/tmp}" &&
			mount --bind "$kept" "$scratch/tmp${kept#/tmp}" || exit 1
		;;
	esac
done
mount --rbind "$scratch/tmp" /tmp || exit 1
