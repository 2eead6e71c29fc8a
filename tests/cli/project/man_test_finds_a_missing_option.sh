tests=$(dirname "$DATA")
sed '/Fl h , Fl -help/d; /^\.Ss completion/d' "$tests/../sjkc.1" >less.1
sed 's/^\.Ss help/.Ss halp/' "$tests/../sjkc.1" >other.1
for manual in less.1 other.1; do
	echo "== $manual"
	sh "$tests/man.sh" "$SJKC" $manual | grep -A 50 '^not ok' |
		grep -E '^not ok|^# (completion|help|halp)'
done
