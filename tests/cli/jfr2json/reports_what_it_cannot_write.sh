file=$DATA/jfr/ap-lock.jfr
echo '-- no readable chunk'
{ printf 'FLR\0\0\3\0\0'; tail -c +9 "$file"; } >new.jfr
head -c 100 "$file" >untyped.jfr
head -c 40 "$file" >short.jfr
for name in new untyped short absent; do
	sjkc jfr2json $name.jfr 2>&1
	echo "exit status $?"
done
echo '-- one of two chunks'
cat new.jfr "$file" >two.jfr
sjkc jfr2json two.jfr -o two.json 2>&1
echo "exit status $?"
echo '-- data behind the last chunk'
{ cat "$file"; printf 'not a chunk'; } >tail.jfr
sjkc jfr2json tail.jfr -o tail.json 2>&1
echo "exit status $?"
echo '-- a type that the recording does not have'
sjkc jfr2json "$file" -wl jdk.CPULod,jdk.ThreadPark -o parks.json 2>&1
sjkc jfr2json "$file" -bl Nothing -o all.json 2>&1
sjkc jfr2json "$file" --list-types -o types 2>&1
sjkc jfr2json "$file" --max-depth 58 2>&1
echo "exit status $?"
