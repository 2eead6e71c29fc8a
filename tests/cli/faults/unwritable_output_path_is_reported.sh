echo 'main;work 3' >in.folded
mkdir folder
sjkc flame -o missing/out.html in.folded
echo "exit status $?"
sjkc flame -o folder in.folded
echo "exit status $?"
sjkc flame -o /proc/out.html in.folded 2>&1 | cut -d : -f 1-3
sjkc flame -o in.folded/out.html in.folded
echo "exit status $?"
ls
