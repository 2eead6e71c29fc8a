recording=$SHARED/own/jfr/busy17-multichunk.jfr
[ -e "$recording" ] || { echo 'no shared recordings'; exit 77; }
ln -s "$recording" busy.jfr
count() {
	sjkc flame -q -e cpu -o - --output-format collapsed "$@" \
		busy.jfr | awk '{ n += $NF } END { print n + 0 }'
}
all=$(count)
first=$(count --to 5s)
rest=$(count --from 5s)
last=$(count --from -2s)
# A pipe works too, although sjkc cannot read it twice.
piped=$(sjkc flame -q -e cpu -o - --output-format collapsed --to 5s - \
	<busy.jfr | awk '{ n += $NF } END { print n + 0 }')
[ $((first + rest)) -eq "$all" ] || echo "$first and $rest are not $all"
[ "$first" -gt 0 ] && [ "$rest" -gt 0 ] || echo "a part is empty"
[ "$last" -gt 0 ] && [ "$last" -lt "$all" ] || echo "$last of $all are last"
[ "$piped" -eq "$first" ] || echo "$piped from a pipe, $first from the file"
sjkc flame -o out.html --from 2001-02-03T04:05:06Z --to 2001-02-04T00:00:00Z \
	busy.jfr
