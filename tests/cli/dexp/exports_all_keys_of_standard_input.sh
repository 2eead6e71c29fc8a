dump=$DATA/std/busy17.std
sjkc dexp -q -f "$dump" --export-all --csv >file.csv
sjkc dexp -q -f - --export-all --csv <"$dump" >stdin.csv
sjkc dexp -q --export-all --csv - <"$dump" >word.csv
cmp file.csv stdin.csv
cmp file.csv word.csv
wc -l <file.csv
head -n 1 file.csv
# The rows of CSV are those of the table.
sjkc dexp -q -f "$dump" --export-all | grep -c '^|\?'
gzip -c "$dump" | head -c 20000 >cut.gz
sjkc dexp -f - --export-all --csv <cut.gz 2>&1 >/dev/null | tail -n 1
