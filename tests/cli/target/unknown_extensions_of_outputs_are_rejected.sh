# Each command that selects a format by the extension of -o rejects an unknown
# extension, unless an option selects the format.
cat >histo <<'H'
   1:          1500         150000  [B (java.base@17.0.9)
Total          1500         150000
H
echo 'a;b 100' >samples
dump="$DATA/dumps/jstack-jdk25.txt"
for command in "threads $dump" 'diff samples samples' jps 'hh -i histo' vminfo \
	'prof -i samples' 'flame samples'; do
	sjkc $command -o out.foo 2>&1 | head -n 1
	ls out.foo 2>/dev/null
done
sjkc threads -q --json -o out.foo "$dump" && head -c 10 out.foo
echo
sjkc threads -q -o out.txt "$dump" && head -n 1 out.txt | sed "s#$DATA/##"
