printf '<a&"b">;c 1000\nd 10\n' >before.txt
printf '<a&"b">;c 10\n]]>;"c" 1000\nd 10\n' >after.txt
sjkc diff -q before.txt after.txt --fail-above 5% --junit out.xml >/dev/null
echo "exit status $?"
sed 's/time="0\.[0-9]*"/time="N"/; s/timestamp="[^"]*"/timestamp="N"/' out.xml
python3 -c 'import xml.etree.ElementTree as e; e.parse("out.xml")'
