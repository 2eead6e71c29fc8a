#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	packaging/licenses.sh SJKC DIRECTORY [FILE...]
#
# Copies the licenses of other people's code into DIRECTORY: of the static libraries
# in the program, which the linker's map SJKC.map names, and of the packages that the
# given files are from.  A license is the copyright file of the Debian package.  The
# file SOURCES lists packages and sources with their versions.
set -eu
sjkc=$1
out=$2
shift 2
mkdir -p "$out"

# package_of FILE: prints the package that has the file; nothing if none has.
package_of() {
	real=$(readlink -f "$1")
	# A system whose /lib is a link may have registered either path.
	dpkg-query -S "$real" "${real#/usr}" "$1" 2>/dev/null |
		sed -n '1s/:.*//p'
}

archives=$(sed -n 's/^\(\/[^ (]*\.a\)(.*/\1/p' "$sjkc.map" | sort -u)
[ -n "$archives" ] || { echo "licenses: no library in $sjkc.map" >&2; exit 1; }
# shellcheck disable=SC2086 # paths of libraries have no spaces
packages=$(for file in $archives "$@"; do
	package_of "$file" | grep . ||
		echo "licenses: no package has $file" >&2
done | sort -u)

{
	printf '%-20s %-24s %s\n' package source 'version of the source'
	for package in $packages; do
		cp -L "/usr/share/doc/$package/copyright" "$out/$package"
		chmod 644 "$out/$package"
		# Several architectures of a package have the same source.
		# shellcheck disable=SC2016 # for dpkg-query
		dpkg-query -W -f '${binary:Package} ${source:Package} ${source:Version}\n' \
			"$package" | head -n 1 |
			while read -r name source version; do
				printf '%-20s %-24s %s\n' "${name%:*}" \
					"$source" "$version"
			done
	done
} >"$out/SOURCES"
