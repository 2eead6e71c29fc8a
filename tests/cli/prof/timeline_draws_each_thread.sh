dump=$DATA/std/busy17.std
sjkc prof -q --show timeline -n 8 -i "$dump"
echo '-- ASCII'
LC_ALL=C sjkc prof -q --show timeline -n 2 -i "$dump" | tail -n 4
echo '-- no times'
echo 'main;run 5' >in.folded
sjkc prof --show timeline -i in.folded | tail -n 1
sjkc prof --show timeline --csv -i in.folded
echo '-- the sum of all buckets is the total; that of each thread, its total'
sjkc prof -q --show timeline -n 0 --csv -i "$dump" >timeline.csv
sjkc prof -q --show threads -n 0 --csv -i "$dump" >threads.csv
awk -F, 'NR > 1 && $3 == "[all threads]" { n += $8 } END { printf "%.0f\n", n }' timeline.csv
awk -F, 'NR > 1 && $3 != "[all threads]" { n[$4] += $8 } END { for (i in n) print i, n[i] }' timeline.csv | sort >a
awk -F, 'NR > 1 { n[$4] += $6 } END { for (i in n) print i, n[i] }' threads.csv | sort >b
cmp a b && echo "$(wc -l <a) threads are the same"
sjkc prof -q --show timeline -n 0 --csv -i "$DATA/jfr/ap-lock.jfr" -e lock |
	awk -F, '$3 == "[all threads]" { n += $8 } END { printf "%.0f\n", n }'
sjkc prof -q --show threads -n 0 --csv -i "$DATA/jfr/ap-lock.jfr" -e lock |
	awk -F, 'NR > 1 { n += $6 } END { printf "%.0f\n", n }'
sjkc prof -q --show timeline -n 1 --json -i "$dump" | tr '[' '\n' | grep -A1 bucket_ns | cut -c1-60
