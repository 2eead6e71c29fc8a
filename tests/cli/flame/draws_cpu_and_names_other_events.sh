recording=$SHARED/own/jfr/busy17-multichunk.jfr
[ -e "$recording" ] || { echo 'no shared recordings'; exit 77; }
ln -s "$recording" busy.jfr
sjkc flame -o out.html busy.jfr
sjkc flame -o out.html -e alloc busy.jfr
sjkc flame -o out.html -e jdk.NoSuchEvent busy.jfr
sjkc flame -o out.html -e jdk.GarbageCollection busy.jfr
