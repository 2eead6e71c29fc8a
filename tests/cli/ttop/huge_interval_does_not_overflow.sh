# The deadline of the largest interval must not wrap around.
cp "$DATA/ttop/made.jsonl" .
most=9223372036854775807
sjkc ttop --replay made.jsonl -ri ${most}ns
echo "status $?"
sjkc ttop --replay made.jsonl --screen 80x1 \
	--iterations 18446744073709551615
cat >ages.jsonl <<END
{"schema":"sjkc.ttop-record/1","title":"ages","pid":1}
{"at":0,"wall":0,"process":{},"threads":[]}
{"at":$most,"wall":0,"process":{},"threads":[]}
END
sjkc ttop --replay ages.jsonl --screen 80x1
