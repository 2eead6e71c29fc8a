#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	packaging/deb.sh SJKC DIRECTORY
#
# Makes DIRECTORY/sjkc_VERSION_ARCHITECTURE.deb.  Its dependencies are those that
# dpkg-shlibdeps(1) finds in the program.  The same sources and packages give the
# same bytes.
set -eu
umask 022
sjkc=$1
out=$2
here=$(cd "$(dirname "$0")" && pwd)
version=$("$sjkc" --version | sed -n 's/^sjkc //p')
day=$("$sjkc" --version | sed -n 's/.* of \([0-9-]\{10\}\).*/\1/p')
time=$(date -u -d "${day:-1970-01-01}" +%s)
architecture=$(dpkg --print-architecture)
package=sjkc_${version}_$architecture
work=$out/deb
root=$work/debian/sjkc
rm -rf "$work"
mkdir -p "$root/DEBIAN" "$root/usr/share/doc/sjkc" \
	"$root/usr/share/lintian/overrides"

${MAKE:-make} -s -C "$here/.." install DESTDIR="$(cd "$root" && pwd)" \
	PREFIX=/usr >/dev/null
strip --remove-section=.comment --remove-section=.note "$root/usr/bin/sjkc"
gzip -9n "$root"/usr/share/man/man?/*
# Debian's zsh looks here.
mkdir -p "$root/usr/share/zsh/vendor-completions"
mv "$root/usr/share/zsh/site-functions/_sjkc" \
	"$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/share/zsh/site-functions"

cp "$here/copyright" "$root/usr/share/doc/sjkc/copyright"
sh "$here/licenses.sh" "$sjkc" "$root/usr/share/doc/sjkc/third-party"
mkdir "$root/usr/share/doc/sjkc/examples"
cp "$here/sjkc.service" "$here/daemonset.yaml" "$root/usr/share/doc/sjkc/examples"
cp "$here/lintian-overrides" "$root/usr/share/lintian/overrides/sjkc"
{
	printf 'sjkc (%s) unstable; urgency=medium\n\n' "$version"
	printf '  * %s\n\n' "$("$sjkc" --version | sed -n '2s/  */ /p' |
		sed 's/^c/C/; s/$/./')"
	printf ' -- sjkc maintainers <maintainers@sjkc.invalid>  %s\n' \
		"$(LC_ALL=C date -u -d "@$time" -R)"
} | gzip -9n >"$root/usr/share/doc/sjkc/changelog.gz"

# dpkg-shlibdeps does not see libcurl4, which sjkc loads when it is needed.  It wants a source package's control file.
printf 'Source: sjkc\nPackage: sjkc\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O debian/sjkc/usr/bin/sjkc |
	sed -n 's/^shlibs:Depends=//p')
chmod -R u+rwX,go+rX,go-w "$root"
# The size of files and directories does not depend on the file system.
size=$(find "$root" -path "$root/DEBIAN" -prune -o -type f -printf '%s\n' \
	-o -printf '1\n' | awk '{ kb += int(($1 + 1023) / 1024) } END { print kb }')
# Policy 7.8: the sources that the licenses of static libraries want kept.
built=$(awk 'NR > 1 { print $2 " (= " $3 ")" }' \
	"$root/usr/share/doc/sjkc/third-party/SOURCES" | sort -u |
	paste -sd , | sed 's/,/, /g')
cat >"$root/DEBIAN/control" <<END
Package: sjkc
Version: $version
Architecture: $architecture
Maintainer: sjkc maintainers <maintainers@sjkc.invalid>
Installed-Size: $size
Depends: $depends, libcurl4
Built-Using: $built
Section: devel
Priority: optional
Description: look inside running Java virtual machines
 sjkc is one native program for the diagnosis of Java processes.  It needs no
 JVM of its own and no option of the JVM that it diagnoses.
 .
 It samples CPU time, waits, allocations and locks with eBPF, draws recordings
 as flame graphs, shows threads like top(1), runs diagnostic commands, reads
 and sets MBeans, and connects JMX clients through a single port.
END
find "$root" -newermt "@$time" -print0 | xargs -0r touch -h -d "@$time"
SOURCE_DATE_EPOCH=$time dpkg-deb --root-owner-group -Zxz --build "$root" "$out/$package.deb" >/dev/null
rm -rf "$work"
echo "$out/$package.deb"
