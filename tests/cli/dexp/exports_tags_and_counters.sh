dump=$DATA/std/busy17.std
sjkc dexp -f "$dump" --tags
echo '-- columns'
sjkc dexp -f "$dump" -cl T thread.javaName java.cpu-time.ms | head -n 4
echo '-- all of them, as CSV'
sjkc dexp -f "$dump" --export-all -csv | head -n 3
echo '-- to a new file only'
sjkc dexp -f "$dump" -cl java.wait-count -csv -o out.csv
wc -l <out.csv
sjkc dexp -f "$dump" -cl java.wait-count -csv -o out.csv 2>&1
echo '-- no columns'
sjkc dexp -f "$dump" 2>&1
echo '-- a thread dump'
sjkc dexp -q -f "$DATA/dumps/jstack-jdk25.txt" --tags
