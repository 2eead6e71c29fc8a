ln -s "$DATA/jfr/ap-lock.jfr" lock.jfr
echo 'a;b 100' >1.txt
sjkc diff -e lock lock.jfr 1.txt
sjkc diff -e nothing lock.jfr lock.jfr
sjkc diff --normalize event:nothing lock.jfr lock.jfr
sjkc flame --list-events lock.jfr
