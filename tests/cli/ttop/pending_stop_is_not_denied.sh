# A stop that has not ended is in no counter of the interval.
sed 's/"safepoints":[0-9]*/"safepoints":7/; s/"notes":\[/&{"figure":"pending","text":"has been stopping for 2.00 s","absent":false},/' \
	"$DATA/ttop/made.jsonl" |
	sjkc ttop --replay - --iterations 1 | grep -E 'JVM has|safe point'
