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
for option in '-i 2s' '--rate 5' '--stack-every 2'; do
	sjkc probe --jfr --above 1ms $option 2147483647 Orders.submit
	echo "= $?"
done
sjkc probe --csv -i 2s 2147483647 Orders.submit
echo "= $?"
sjkc probe --above 1ms --stack --stack-every 4294967296 2147483647 Orders.submit
echo "= $?"
sjkc probe --rate 0 2147483647 Orders.submit
echo "= $?"
sjkc trace 2147483647 Orders.submit
echo "= $?"
