echo 'main;work 3' >a.folded
sjkc flame -o out.folded a.folded missing.folded
status=$?
cat out.folded
exit $status
