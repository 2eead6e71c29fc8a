# Names and reasons are foreign text.
printf 'd 10\nroot;c 1000\n' >'<before&>.txt'
printf 'd 10\nroot;c 10\nroot;]]><c d="1">&\033[31m\377 1000\n' >after.txt
sjkc diff -q --format collapsed "<before&>.txt" after.txt --fail-above 5% \
	--junit out.xml >/dev/null
echo "exit status $?"
sed 's/ time="[0-9.]*"/ time="N"/; s/timestamp="[^"]*"/timestamp="N"/' out.xml
python3 -c 'import xml.etree.ElementTree as e; e.parse("out.xml")'
