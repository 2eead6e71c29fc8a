file=$DATA/jfr/ap-lock.jfr
sjkc jfr2json --list-types "$file"
echo '-- chosen types, of which one is absent'
sjkc jfr2json "$file" --json-lines -wl jdk.CPULoad,jdk.Nothing | head -n 2
sjkc jfr2json "$file" -wl jdk.Nothing
sjkc jfr2json "$file" --json-lines -wl jdk.JavaMonitorEnter --max-depth 3 | head -n 1
sjkc jfr2json "$file" --json-lines -wl jdk.JavaMonitorEnter | wc -l
echo '-- an array of all but one type'
sjkc jfr2json -i - -o out.json -bl jdk.ActiveSetting <"$file"
head -n 1 out.json
tail -n 1 out.json
grep -c '"eventType":"jdk.ActiveSetting"' out.json
grep -c '"eventType":"jdk.ThreadPark"' out.json
command -v python3 >/dev/null && python3 -m json.tool out.json >/dev/null && echo valid
echo '-- truncated'
head -c 20000 "$file" >cut.jfr
sjkc jfr2json cut.jfr --json-lines 2>&1 | tail -n 1 | cut -c1-170
echo '-- invalid'
echo nothing >text
sjkc jfr2json text 2>&1
sjkc jfr2json 2>&1
sjkc jfr2json "$file" --force-jdk-parser 2>&1
