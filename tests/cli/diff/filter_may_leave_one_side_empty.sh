echo 'a;b 100' >1.txt
echo 'a;c 100' >2.txt
sjkc diff -I '^c$' 1.txt 2.txt
sjkc diff -I '^nothing$' 1.txt 2.txt
: >empty.txt
sjkc diff 1.txt empty.txt
sjkc diff empty.txt 1.txt
