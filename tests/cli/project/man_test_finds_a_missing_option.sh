tests=$(dirname "$DATA")
cp -r "$tests/../docs/man" less
cp -r less other
sed -i '/Fl h , Fl -help/,+1d' less/sjkc-help.1
rm less/sjkc-completion.1
mv other/sjkc-help.1 other/sjkc-halp.1
for manual in less other; do
	echo "== $manual"
	sh "$tests/man.sh" "$SJKC" "$tests/../sjkc.1" $manual | grep -A 50 '^not ok' |
		grep -E '^not ok|^# .*(completion|help|halp)'
done
