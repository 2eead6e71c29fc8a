# Names and reasons are foreign text.
name='<a&"b">.log'
cp "$DATA/gc/jdk17-g1.log" "$name"
sjkc gc -q "$name" --fail 'p99>200ms' --fail 'p50>=1s' --fail 'stopped>50%' \
	--junit out.xml >/dev/null
echo "exit status $?"
sed 's/ time="[0-9.]*"/ time="N"/; s/timestamp="[^"]*"/timestamp="N"/' out.xml
python3 -c 'import xml.etree.ElementTree as e; e.parse("out.xml")'
