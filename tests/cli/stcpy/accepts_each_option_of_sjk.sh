# Each option of SJK 0.23, in both spellings: it works, or the message names the
# alternative.
dump=$DATA/std/busy17.std
try() {
	sjkc stcpy -q "$@" >out 2>err
	echo "$* -> exit status $?, $(cat out)" | sed "s,$DATA/,,g"
	head -n 1 err | sed "s,$DATA/,,"
	rm -f out.std
}
try -i "$dump" -o out.std
try --input "$dump" "$dump" --output out.std
try -i "$dump" -o out.std -e
try -i "$dump" -o out.std --empty
try -i "$dump" -o out.std --mask Busy:Lazy java:com.acme
try -i "$dump" -o out.std -ss 0.5
try -i "$dump" -o out.std --subsample 0.5
try -i "$dump" -o out.std -tf java.lang.Object
try -i "$dump" -o out.std --trace-filter java.lang.Object
try -i "$dump" -o out.std -tt 'Busy.**'
try -i "$dump" -o out.std --trace-trim 'Busy.**'
try -i "$dump" -o out.std -tn main
try -i "$dump" -o out.std --thread-name main
try -i "$dump" -o out.std -tr 47:58-47:59 -tz UTC
try -i "$dump" -o out.std --time-range 47:58-47:59 --time-zone GMT+02:00
for event in EXEC ALLOC THROW; do
	try -i "$dump" -o out.std --jfr-event "$event"
done
try -i "$dump" -o out.std -X
try -i "$dump" -o out.std --verbose
for option in --force-jdk-parser --force-mc-parser --parsers-info --commands; do
	try -i "$dump" -o out.std "$option"
done
