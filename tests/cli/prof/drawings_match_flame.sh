printf 'main;work 3\nmain;rest 1\n' >in.folded
for extension in html collapsed; do
	sjkc prof -q -i in.folded -o prof.$extension
	sjkc flame -q --total in.folded -o flame.$extension
	cmp prof.$extension flame.$extension && echo "$extension is the same"
done
sjkc prof -i in.folded -o report.txt -n 1
cat report.txt
echo '-- weights are weights in drawings, too'
sjkc prof -q -i "$DATA/jfr/ap-lock.jfr" -o prof.collapsed
sjkc flame -q "$DATA/jfr/ap-lock.jfr" --total -o flame.collapsed
cmp prof.collapsed flame.collapsed
sjkc prof -q --samples -i "$DATA/jfr/ap-lock.jfr" -o prof.collapsed
sjkc flame -q "$DATA/jfr/ap-lock.jfr" -o flame.collapsed
cmp prof.collapsed flame.collapsed
