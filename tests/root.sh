#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/root.sh SJKC [NAME...]
#
# Runs tests/root/*.sh, or those that are named, as tests/jvm.sh does: they
# need the right to have the kernel run programs of ours, and are in a mount
# namespace of their own.  Where there is no such right, all are skipped.
# $TOOLS is the folder of what tests/root/lib/*.c became.
cd "$(dirname "$0")/.." || exit 2
. tests/tap.sh
sjkc=$1
shift
[ $# -gt 0 ] || set -- tests/root/*.sh
# That it was not built is no reason to skip anything.
[ -x "$TOOLS/take_samples" ] || { echo "no $TOOLS/take_samples"; exit 2; }
if [ "$(id -u)" -ne 0 ]; then
	missing='not root'
elif ! missing=$("$TOOLS/take_samples" open 2>&1); then
	missing=${missing:-no samples can be taken}
else
	exec unshare --mount --propagation private \
		sh tests/jvm.sh "$sjkc" "$@"
fi
for script in "$@"; do
	tap_skip "$(basename "$script" .sh | tr _ ' ')" "$missing"
done
tap_end
