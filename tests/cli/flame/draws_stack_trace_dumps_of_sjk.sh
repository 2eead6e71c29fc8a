dump=$DATA/std/busy17.std
sjkc flame --list-events "$dump"
sjkc flame -o - --output-format collapsed --full-thread-name 'locker-0' "$dump"
echo '-- the same, by SJK'\''s options'
sjkc flame -f "$dump" -o page.html -tn 'JMX.*' -tf '**.Object.wait'
ls page.html
echo '-- truncated'
head -c 20000 "$dump" >cut.sjk
sjkc flame --list-events cut.sjk 2>&1
