ln -s "$DATA/jfr/ap-lock.jfr" lock.jfr
sjkc diff -o page.html -I '^java.lang.Object.wait$' lock.jfr lock.jfr
grep -c "<title>" page.html
