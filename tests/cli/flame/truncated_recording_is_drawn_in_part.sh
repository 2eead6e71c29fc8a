recording=$SHARED/own/jfr/busy17-multichunk.jfr
[ -e "$recording" ] || { echo 'no shared recordings'; exit 77; }
head -c 2500000 "$recording" >cut.jfr # in the second chunk
sjkc flame -q -o out.html cut.jfr
status=$?
[ -s out.html ] && echo 'the page is written'
exit $status
