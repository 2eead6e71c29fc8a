#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/root.sh SJKC [NAME...]
#
# Runs tests/root/*.sh, or the named scripts, as tests/jvm.sh does, in a mount
# namespace of their own.  They load eBPF programs; without the privileges, scripts of
# tests/root are skipped.  $TOOLS is the directory of the programs built from
# tests/root/lib/*.c.
cd "$(dirname "$0")/.." || exit 2
sjkc=$1
shift
[ $# -gt 0 ] || set -- tests/root/*.sh
# A missing program is a failed build, not a reason to skip.
[ -x "$TOOLS/take_samples" ] || { echo "no $TOOLS/take_samples"; exit 2; }
if [ "$(id -u)" -ne 0 ]; then
	missing='not root'
elif ! missing=$("$TOOLS/take_samples" open 2>&1); then
	missing=${missing:-cannot take samples}
else
	exec unshare --mount --propagation private \
		sh tests/jvm.sh "$sjkc" "$@"
fi
NOT_ROOT=$missing exec sh tests/jvm.sh "$sjkc" "$@"
