dump=$DATA/std/busy17.std
cat >categories <<'END'
# the first match wins
sleep: **.Thread.sleep
park= **.Unsafe.park,\
      **.Object.wait
park._ Waiting for others
run : #state=RUNNABLE
END
sjkc ssa -f "$dump" --categorize -cf categories
sjkc ssa -f "$dump" --categorize -co -nc sleep='**.sleep' other='!**.sleep'
echo '-- filters apply, unless as in SJK'
sjkc ssa -f "$dump" --categorize -nc all='!nothing' -tn main
sjkc ssa -f "$dump" --categorize -nc all='!nothing' -tn main --sjk-compat
echo '-- the part above the frame nearest to the root'
for compat in '' --sjk-compat; do
	sjkc ssa -f "$dump" --categorize $compat \
		-nc itself='Busy.fib/^+Busy.fib' lambda='**.run/^+**.run'
done
echo '-- the last line ends with a backslash'
printf 'fib: **.fib\nrest: !nothing\\' >last
sjkc ssa -f "$dump" --categorize -cf last
