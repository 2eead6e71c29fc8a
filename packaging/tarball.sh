#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	packaging/tarball.sh SJKC DIRECTORY
#
# Makes DIRECTORY/sjkc-VERSION-linux-x86_64.tar.gz: one directory that runs from
# anywhere, on any distribution, without a C library of its own.
#
#	sjkc			the launcher (packaging/launcher.c), static
#	libexec/sjkc		the loader of the machine that built it
#	libexec/sjkc-program	the program
#	lib/			its libraries
#	share/			manual, completions, terminal descriptions, licenses
#
# The same sources and packages give the same bytes.
set -eu
umask 022
sjkc=$1
out=$2
here=$(dirname "$0")
cc=${CC:-cc}
version=$("$sjkc" --version | sed -n 's/^sjkc //p')
name=sjkc-$version-linux-x86_64
top=$out/$name
rm -rf "$top"
mkdir -p "$top/lib" "$top/libexec" "$top/share/terminfo" "$top/share/licenses" \
	"$top/share/man/man1" "$top/share/man/man7" "$top/share/completions"

$cc -std=c11 -D_GNU_SOURCE -O2 -static -s -Wall -Wextra -Werror \
	-o "$top/sjkc" "$here/launcher.c"
cp "$sjkc" "$top/libexec/sjkc-program"
strip "$top/libexec/sjkc-program"

# The loader prints each library as "NAME => PATH (ADDRESS)".  sjkc loads libcurl
# itself, when it is needed.
curl=$($cc -print-file-name=libcurl.so.4)
{ ldd "$sjkc" && ldd "$curl" && echo "libcurl.so.4 => $curl"; } |
	sort -u -k 1,1 >"$out/libraries"
awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' "$out/libraries" |
	while read -r soname path; do
		cp -L "$path" "$top/lib/$soname"
	done
loader=$(readelf -l "$sjkc" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
cp -L "$loader" "$top/libexec/sjkc"

for terminal in dumb vt100 linux xterm xterm-256color screen screen-256color \
	tmux tmux-256color rxvt-unicode-256color alacritty xterm-kitty; do
	for dir in /lib/terminfo /usr/share/terminfo; do
		entry=$(printf %.1s $terminal)/$terminal
		[ -e "$dir/$entry" ] || continue
		mkdir -p "$top/share/terminfo/${entry%/*}"
		cp -L "$dir/$entry" "$top/share/terminfo/$entry"
		break
	done
done

licenses=$top/share/licenses
cp "$here/../LICENSE" "$licenses/sjkc"
# shellcheck disable=SC2046 # paths of libraries have no spaces
sh "$here/licenses.sh" "$sjkc" "$licenses/third-party" "$loader" \
	$(awk '$2 == "=>" && $3 ~ /^\// { print $3 }' "$out/libraries") \
	$(find /lib/terminfo /usr/share/terminfo -name alacritty -o -name dumb)
rm "$out/libraries"
# Full texts that Debian's copyright files mention, because other systems lack them.
mkdir "$licenses/common"
grep -rhoE '/usr/share/common-licenses/[A-Za-z]+(-[0-9]+(\.[0-9]+)?)?' \
	"$licenses/third-party" | sort -u | while read -r text; do
	[ ! -e "$text" ] || cp -L "$text" "$licenses/common/"
done
# The LGPL wants the source of what is linked statically with the C library.
cp "$here/launcher.c" "$licenses/launcher.c"
cp "$here/licenses.txt" "$licenses/README"
cp "$here"/../sjkc.1 "$here"/../docs/man/*.1 "$top/share/man/man1/"
cp "$here"/../docs/man/*.7 "$top/share/man/man7/"
for shell in bash zsh fish; do
	"$sjkc" completion $shell >"$top/share/completions/sjkc.$shell"
done

time=$("$sjkc" --version | sed -n 's/.* of \([0-9-]\{10\}\).*/\1/p')
tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner \
	--mode=u+rwX,go+rX,go-w --mtime="${time:-1970-01-01} UTC" \
	-cf - "$name" | gzip -9n >"$out/$name.tar.gz.new"
mv "$out/$name.tar.gz.new" "$out/$name.tar.gz"
echo "$out/$name.tar.gz"
