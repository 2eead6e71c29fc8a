echo 'main;work 3' >in.folded
sjkc flame -o a.svg in.folded
echo "exit status $?"
ls
