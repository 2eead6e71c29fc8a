# Each option of SJK 0.23, in both spellings: it works, or the message names the
# alternative.
dump=$DATA/std/busy17.std
try() {
	sjkc dexp -q "$@" >out 2>err
	echo "$* -> exit status $?, $(wc -l <out) lines" | sed "s,$DATA/,,g"
	head -n 1 err | sed "s,$DATA/,,"
}
try -f "$dump" --tags
try --file "$dump" "$dump" --tags
try -f "$dump" -cl T thread.javaName
try -f "$dump" --columns T thread.javaName
try -f "$dump" --export-all
try -f "$dump" --export-all -csv
try -f "$dump" -cl thread.javaName -o out.txt
try -f "$dump" -cl thread.javaName --outfile out2.txt
wc -l out.txt out2.txt
try -f "$dump" -cl T thread.javaName -tr 47:58-47:59
try -f "$dump" -cl T thread.javaName --time-range 47:58-47:59
try -f "$dump" -cl T:THH thread.javaName -tz UTC
try -f "$dump" -cl T:THH thread.javaName --timezone Europe/Paris
try -f "$dump" --tags -X
try -f "$dump" --tags --verbose
for option in --force-jdk-parser --force-mc-parser --parsers-info --commands; do
	try -f "$dump" --tags "$option"
done
echo '-- the names of the files'
cp "$dump" one.std
cp "$dump" two.std
sjkc dexp -q -f '*.std' --explain -cl thread.javaName | head -n 5
sjkc dexp -q -f - --explain --export-all <"$dump" | head -n 2
echo '-- formats of times'
for format in yyyy-MM-dd HH:mm:ss.SSS "yy/M/d 'at' H 'o''clock' ''S"; do
	sjkc dexp -q -f "$dump" -csv -tz Europe/Paris \
		-cl "T:T$format" thread.javaId:D0000 | sed -n '1,2p'
done
for format in T:D0.0 T:TMMMM T:T T:yyyy x:yyyy T:; do
	echo "$format"
	sjkc dexp -q -f "$dump" -csv -cl "$format" thread.javaId 2>&1 | sed -n 1,2p
done
