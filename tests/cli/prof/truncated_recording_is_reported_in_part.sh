export TZ=UTC
head -c 30000 "$DATA/jfr/ap-lock.jfr" >cut.jfr
sjkc prof -i cut.jfr -n 1 --show frames
