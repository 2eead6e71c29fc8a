echo 'main;work 3' >in.folded
ln -s in.folded link.folded
ln in.folded hard.folded
for output in in.folded ./in.folded link.folded hard.folded; do
	sjkc flame -o $output in.folded
	echo "exit status $?"
done
sjkc flame --output-format collapsed -i in.folded </dev/null
mkdir other && cd other && ln -s ../in.folded in.folded
sjkc flame -o in.folded ../hard.folded ../in.folded
cat ../in.folded
# Also when the input is standard input, and for --list-events.
sjkc flame -o in.folded - <../in.folded
echo "exit status $?"
sjkc flame --list-events -o in.folded ../in.folded
echo "exit status $?"
cat ../in.folded
