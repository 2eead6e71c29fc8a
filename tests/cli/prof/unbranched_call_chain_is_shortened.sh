path=f1
for i in 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	path="$path;f$i"
done
printf '%s 90\n%s;left 5\n%s;right 5\n' "$path" "$path" "$path" >in.folded
sjkc prof -q --show calls -i in.folded
echo '-- but for what was measured in the middle of it'
printf '%s 90\nf1;f2;f3;f4;f5;f6;f7 10\n' "$path" >in.folded
sjkc prof -q --show calls -i in.folded
echo '-- and as one wants it'
sjkc prof -q --show calls --chain 4 -i in.folded
sjkc prof -q --show calls --chain 0 -i in.folded | wc -l
