ln -s "$DATA/jfr/ap-lock.jfr" lock.jfr
echo 'a;b 100' >1.txt
sjkc diff -e lock lock.jfr 1.txt | head -n 4
sjkc diff lock.jfr 1.txt
sjkc diff -e lock,lock --csv lock.jfr lock.jfr | sort | uniq -d | wc -l
sjkc diff -e nothing lock.jfr lock.jfr
sjkc diff --normalize event:nothing lock.jfr lock.jfr
sjkc flame --list-events lock.jfr
