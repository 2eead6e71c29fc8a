dump=$DATA/std/busy17.std
sjkc ssa -f "$dump" --histo | head -n 6
echo '-- traces'
sjkc ssa -f "$dump" --histo --sort OCCUR | head -n 3
echo '-- occurrences, with recursion'
sjkc ssa -f "$dump" --histo --sort FREQ -nc run='**.Busy.fib' | head -n 3
echo '-- CSV'
sjkc ssa -f "$dump" --histo -co -tn 'locker-.*'
echo '-- nothing'
sjkc ssa -f "$dump" --histo -tn 'nobody' 2>&1
