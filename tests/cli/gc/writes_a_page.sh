# The page has the summary for browsers without JavaScript, and one data block.
exec 2>&1
cp "$DATA/gc/jdk17-g1.log" gc.log
sjkc gc -q -i gc.log -o out.html | tail -n 2
sed -n '/<noscript>/,/<\/noscript>/p' out.html
grep -c '<script id="data"' out.html
grep -o 'http[s]*:' out.html | sort | uniq -c
