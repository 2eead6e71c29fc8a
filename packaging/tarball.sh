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
#	share/			manual, completions, terminal descriptions, licences
#
# The same sources on the same machine give the same bytes.
set -eu
sjkc=$1
out=$2
here=$(dirname "$0")
cc=${CC:-cc}
version=$("$sjkc" --version | sed -n 's/^sjkc //p')
name=sjkc-$version-linux-x86_64
top=$out/$name
rm -rf "$top"
mkdir -p "$top/lib" "$top/libexec" "$top/share/terminfo" "$top/share/licenses" \
	"$top/share/man/man1" "$top/share/completions"

$cc -std=c11 -D_GNU_SOURCE -O2 -static -s -Wall -Wextra -Werror \
	-o "$top/sjkc" "$here/launcher.c"
cp "$sjkc" "$top/libexec/sjkc-program"
strip "$top/libexec/sjkc-program"

# library NAME PATH: the file that the loader found, under the name it looks for.
library() {
	cp -L "$2" "$top/lib/$1"
	licence "$2"
}

# licence FILE: that of the package which the file is from.
licence() {
	package=$(dpkg-query -S "$(readlink -f "$1")" "$1" 2>/dev/null |
		sed -n '1s/:.*//p') || :
	[ -z "$package" ] || cp -L "/usr/share/doc/$package/copyright" \
		"$top/share/licenses/$package"
}

ldd "$sjkc" | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' |
	while read -r soname path; do
		library "$soname" "$path"
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

cp "$here/../LICENSE" "$top/share/licenses/sjkc"
# Linked into the program.
for package in libpcre2-dev zlib1g-dev libdeflate-dev libncurses-dev \
	libevent-dev libssl-dev libbpf-dev libdw-dev liblzma-dev libbz2-dev \
	libiberty-dev; do
	cp -L "/usr/share/doc/$package/copyright" "$top/share/licenses/$package"
done
cp "$here/../sjkc.1" "$top/share/man/man1/"
for shell in bash zsh fish; do
	"$sjkc" completion $shell >"$top/share/completions/sjkc.$shell"
done

time=$("$sjkc" --version | sed -n 's/.* of \([0-9-]\{10\}\).*/\1/p')
tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner \
	--mode=u+rwX,go+rX,go-w --mtime="${time:-1970-01-01} UTC" \
	-cf - "$name" | gzip -9n >"$out/$name.tar.gz.new"
mv "$out/$name.tar.gz.new" "$out/$name.tar.gz"
echo "$out/$name.tar.gz"
