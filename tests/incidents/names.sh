# SPDX-License-Identifier: Apache-2.0
#
#	unshare --mount --propagation private sh tests/root/lib/names.sh DIRECTORY COMMAND…
#
# Runs a command that resolves names by the resolv.conf and nsswitch.conf of the
# directory.
directory=$1
shift
mount --bind "$directory/resolv.conf" /etc/resolv.conf &&
	mount --bind "$directory/nsswitch.conf" /etc/nsswitch.conf && exec "$@"
