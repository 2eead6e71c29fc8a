ln -s "$DATA/jfr/ap-lock.jfr" lock.jfr
sjkc diff -q -e lock -I '^java.lang.Object.wait$' --normalize event:park lock.jfr lock.jfr
