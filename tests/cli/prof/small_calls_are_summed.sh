awk 'BEGIN { for (i = 0; i < 200; i++) print "main;call" i, 1
	print "main;much", 100 }' >in.folded
sjkc prof -q -n 1 -i in.folded
echo '-- less is more rows'
sjkc prof -q --show calls --min-percent 0.3 -i in.folded | wc -l
sjkc prof -q --show calls --min-percent 0 -i in.folded | tail -n 1
