top=$(dirname "$DATA")/..
make -s -C "$top" install DESTDIR="$PWD/root" PREFIX=/usr >/dev/null
find root -type f ! -name "sjkc-*.[17]" | sort
for page in "$top"/docs/man/*; do
	cmp "$page" "root/usr/share/man/man${page##*.}/${page##*/}"
done
cmp "$top/sjkc.1" root/usr/share/man/man1/sjkc.1
root/usr/bin/sjkc --version | head -n 1
root/usr/bin/sjkc completion fish |
	cmp - root/usr/share/fish/vendor_completions.d/sjkc.fish
make -s -C "$top" uninstall DESTDIR="$PWD/root" PREFIX=/usr >/dev/null
find root -type f
