dump=$DATA/std/busy17.std
sjkc ssa -f "$dump" --print -tn locker-0 -tf '**.sleep' | head -n 9
echo '-- in another zone'
sjkc ssa -f "$dump" --print -tn main -tz Asia/Tokyo | head -n 1
echo '-- a part of each stack trace'
sjkc ssa -f "$dump" --print -tn burner-0 -tt 'Busy.burn' | head -n 2
echo '-- threads'
sjkc ssa -f "$dump" --thread-info -tn 'locker-.|burner-.' \
	-si NAME7 COUNT CPU SYS S:BLOCKED fib='Busy.fib' GAP_CHM
sjkc ssa -f "$dump" --thread-info --numeric -co -tn 'allocator' \
	-si NAME ALLOC TSMIN TSMAX FREQ FREQ_HM
echo '-- a thread dump'
sjkc ssa -q -f "$DATA/dumps/jstack-jdk25.txt" --histo | head -n 3
