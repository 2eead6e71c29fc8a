# Invalid patterns and options are rejected before a JVM is touched.
exec 2>&1
for method in submit 'Orders.' 'Orders.submit(long' 'Orders.f(..,int)'; do
	sjkc probe 2147483647 --jfr "$method"
	echo "= $?"
done
sjkc probe 2147483647 --jfr '!Orders.submit'
echo "= $?"
sjkc probe 2147483647 --jfr Orders.submit
echo "= $?"
sjkc probe --jfr --json --csv 2147483647 Orders.submit
echo "= $?"
sjkc probe --jfr -o x.html 2147483647 Orders.submit
echo "= $?"
sjkc probe --jfr --above 1ms -o x.xyz 2147483647 Orders.submit
echo "= $?"
sjkc probe --jfr --max 0 2147483647 Orders.submit
echo "= $?"
sjkc probe --jfr -d 0 2147483647 Orders.submit
echo "= $?"
sjkc trace 2147483647 Orders.submit
echo "= $?"
