awk 'BEGIN { for (i = 0; i < 3000; i++) print "main;work" i * 7919 % 3001 ";leaf " i % 7 + 1 }' >1.txt
gzip -n 1.txt
for cut in 90 80; do
	head -c $(($(wc -c <1.txt.gz) * cut / 100)) 1.txt.gz >$cut.gz
done
sjkc diff -n 1 90.gz 80.gz >out 2>err
echo "exit status $?"
sed 's/[0-9,]\{2,\}/N/g' err
grep lost out | sed 's/[0-9,]\{2,\}/N/g'
sjkc diff --json 90.gz 80.gz 2>/dev/null | grep -o '"lost":[^]]*]'
