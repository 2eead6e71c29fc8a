dump=$DATA/std/busy17.std
sjkc dexp -q -f "$dump" --export-all --csv >file.csv
sjkc dexp -q -f - --export-all --csv <"$dump" >stdin.csv
sjkc dexp -q --export-all --csv - <"$dump" >word.csv
cmp file.csv stdin.csv
cmp file.csv word.csv
# A pipe can be read only once, too.
sjkc dexp -q --export-all --csv /dev/stdin <"$dump" >device.csv
cmp file.csv device.csv
mkfifo pipe
cat "$dump" >pipe &
sjkc dexp -q --export-all --csv pipe >pipe.csv
wait
cmp file.csv pipe.csv
cat "$dump" | sjkc dexp -q --export-all --csv /dev/stdin | cmp file.csv -
wc -l <file.csv
head -n 1 file.csv
# The rows of CSV are those of the table.
sjkc dexp -q -f "$dump" --export-all | grep -c '^|\?'
gzip -c "$dump" | head -c 20000 >cut.gz
sjkc dexp -f - --export-all --csv <cut.gz 2>&1 >/dev/null 
head -c 20000 "$dump" >cut.std
sjkc dexp --export-all --csv - <cut.std 2>&1 >/dev/null
sjkc dexp --export-all --csv cut.std 2>&1 >/dev/null
cat cut.std | sjkc dexp --export-all --csv /dev/stdin 2>&1 >/dev/null
echo '-- unreadable'
echo nothing | sjkc dexp --export-all - absent 2>&1
echo "exit status $?"
