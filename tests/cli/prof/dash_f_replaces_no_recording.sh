# -f means input in other commands: it never replaces a recording.
exec 2>&1
echo 'a;b 1' >in.folded
cp in.folded dump.collapsed
sjkc prof -i in.folded -f dump.collapsed
echo "= $?"
cat dump.collapsed
sjkc prof -f dump.collapsed $$ -d 1s
echo "= $?"
cat dump.collapsed
# -o replaces the file, and -f replaces HTML flame graphs and other files.
sjkc prof -i in.folded -o dump.collapsed
sjkc prof -i in.folded -f out.html
sjkc prof -i in.folded -f out.html
echo nothing >out.txt
sjkc prof -i in.folded -f out.txt
echo "= $?"
