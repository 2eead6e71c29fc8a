mkdir folder
sjkc flame -o out.folded missing.folded folder
status=$?
ls
exit $status
