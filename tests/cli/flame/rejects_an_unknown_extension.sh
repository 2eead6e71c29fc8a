echo 'main;work 3' >in.folded
sjkc flame -o a.xyz in.folded
echo "exit status $?"
ls
