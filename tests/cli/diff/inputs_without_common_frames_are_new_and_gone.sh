echo 'a;b 100' >1.txt
echo 'c;d 100' >2.txt
sjkc diff 1.txt 2.txt
