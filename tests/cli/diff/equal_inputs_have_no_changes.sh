printf 'a;b;c 100\na;b;d 50\na;e 30\n' >1.txt
sjkc diff 1.txt 1.txt
sjkc diff --csv "$DATA/jfr/ap-lock.jfr" "$DATA/jfr/ap-lock.jfr" -q |
	awk -F , 'NR > 1 && ($10 != 0 || $12 == "significant")'
ln -s 1.txt link.txt
sjkc diff 1.txt link.txt 2>&1 >out
cp 1.txt 2.txt
sjkc diff 1.txt 2.txt 2>&1 >out
