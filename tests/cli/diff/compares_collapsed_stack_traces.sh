printf 'a;b;c 100\na;b;d 50\na;e 30\n' >1.txt
printf 'a;b;c 200\na;b;d 51\na;f 30\n' >2.txt
echo '-- shares, since there are no times'
sjkc diff 1.txt 2.txt
echo '-- sums'
sjkc diff --normalize none -n 2 1.txt 2.txt
echo '-- CSV'
sjkc diff --normalize none --csv 1.txt 2.txt
