echo 'a;b 100' >1.txt
for arguments in 1.txt '1.txt 1.txt 1.txt' '- -' '--normalize cpu 1.txt 1.txt' \
	'--normalize time 1.txt 1.txt' '--csv --json 1.txt 1.txt' \
	'-o x.svg 1.txt 1.txt' '-o x.json.gz 1.txt 1.txt' '--json -o x.html 1.txt 1.txt' \
	'--csv -o x.json 1.txt 1.txt' '-o 1.txt 1.txt 1.txt' '1.txt missing.txt'; do
	echo "-- $arguments"
	sjkc diff $arguments 2>&1 | head -n 1
	sjkc diff $arguments 2>/dev/null
	echo "exit status $?"
done
