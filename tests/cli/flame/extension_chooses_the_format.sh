echo 'main;work 3' >in.folded
for name in a.html a.htm a.collapsed a.folded a; do
	sjkc flame -q -o $name in.folded
	echo "$name: $(head -c 9 $name)"
done
sjkc flame -q -o b.html --output-format collapsed in.folded
echo "b.html: $(head -c 9 b.html)"
