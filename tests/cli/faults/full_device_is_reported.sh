echo 'main;work 3' >in.folded
sjkc flame -o /dev/full in.folded
echo "exit status $?"
sjkc flame -o - in.folded >/dev/full
echo "exit status $?"
sjkc help >/dev/full
echo "exit status $?"
sjkc flame -o - in.folded >&-
echo "exit status $?"
