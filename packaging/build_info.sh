#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	packaging/build_info.sh HEADER
#
# Writes the header with the commit and its date, which `sjkc --version` prints:
# from git or, in the sources of a release, from packaging/commit, which
# git-archive(1) fills in.  The same commit gives the same header.  The header's
# time changes with its contents only.
set -eu
header=$1
cd "$(dirname "$0")/.."

commit=unknown seconds='' modified=''
if [ -e .git ] && hash=$(git rev-parse --short=12 HEAD 2>/dev/null); then
	seconds=$(git log -1 --format=%ct HEAD)
	commit=$hash
	git diff-index --quiet HEAD -- 2>/dev/null || modified=', modified'
elif read -r hash time <packaging/commit; then
	case $hash in
	*Format*) ;;
	*) commit=$(printf %.12s "$hash") seconds=$time ;;
	esac
fi
seconds=${SOURCE_DATE_EPOCH:-$seconds}
date=$([ -z "$seconds" ] || date -u -d "@$seconds" +%Y-%m-%d)

mkdir -p "$(dirname "$header")"
cat >"$header.$$" <<END
#define BUILD_COMMIT "$commit${date:+ of $date}$modified"
END
if cmp -s "$header.$$" "$header"; then
	rm -f "$header.$$"
else
	mv "$header.$$" "$header"
fi
