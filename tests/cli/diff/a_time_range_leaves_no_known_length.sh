# The samples of the range are fewer, but the time from the first to the last
# sample of the recording is the same.
ln -s "$DATA/jfr/ap-lock.jfr" lock.jfr
range=08:32:21-08:32:23
sjkc diff -q -e park -n 1 --time-range $range lock.jfr lock.jfr | head -n 5
sjkc diff -q -e park --time-range $range --normalize time lock.jfr lock.jfr
