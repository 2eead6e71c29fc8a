# On a file system with less and less space, writing first succeeds and then
# fails at different positions of the page.
cat >inside.sh <<'END'
mount -t tmpfs -o size=512k tmpfs room || exit 77
trap 'umount room' EXIT
seq 1 1500 | sed 's/^/main;work;part/; s/$/ 1/' >in.folded
echo old >room/out.html
failed=0 written=0
for kib in 480 400 320 300 280 260 240 220 200 180 160 140 120 100 80 60 40 20 0; do
	rm -f room/fill
	head -c ${kib}k /dev/zero >room/fill
	sjkc flame -q -o room/out.html in.folded 2>err
	status=$?
	left=$(ls room | tr '\n' ' ')
	[ "$left" = 'fill out.html ' ] || echo "$kib KiB: left $left"
	case $status in
	0)
		written=$((written + 1))
		tail -c 20 room/out.html | grep -q '</html>' ||
			echo "$kib KiB: the page is cut"
		echo old >room/out.html ;;
	9)
		failed=$((failed + 1))
		grep -q '^sjkc: room/out.html: .*No space left on device$' err ||
			cat err
		[ "$(cat room/out.html)" = old ] ||
			echo "$kib KiB: the old file is gone" ;;
	*) echo "$kib KiB: exit status $status"; cat err ;;
	esac
done
[ $failed -gt 0 ] && [ $written -gt 0 ] && echo 'it failed, and it succeeded'
END
mkdir room
if [ "$(id -u)" -eq 0 ]; then
	unshare -m --propagation unchanged sh inside.sh
else
	unshare -Urm --propagation unchanged sh inside.sh
fi
status=$?
[ $status -lt 77 ] || { echo 'no file system can be mounted'; exit 77; }
exit $status
