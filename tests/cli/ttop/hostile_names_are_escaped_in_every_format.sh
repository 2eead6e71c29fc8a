# A hostile thread name has OSC 52, CSI, C1 as one byte and as UTF-8, a
# bidirectional override, a newline and a formula.
cat >hostile.jsonl <<'END'
{"schema":"sjkc.ttop-record/1","title":"\u001b]0;t\u0007","pid":1,"wall":0}
{"at":0,"threads":[{"tid":1,"name":"\u001b]52;c;aGk=\u0007\u001b[2J\u009b31m\u202e\n[000001] user=99.99%","cpu":0},{"tid":2,"name":"=cmd|' /C calc'!A0\",\"","cpu":0},{"tid":3,"name":"</script>&'\u2028","cpu":0},{"tid":4,"name":"\u0000nul","cpu":0}]}
{"at":1000000000,"threads":[{"tid":1,"name":"\u001b]52;c;aGk=\u0007\u001b[2J\u009b31m\u202e\n[000001] user=99.99%","cpu":4},{"tid":2,"name":"=cmd|' /C calc'!A0\",\"","cpu":3},{"tid":3,"name":"</script>&'\u2028","cpu":2},{"tid":4,"name":"\u0000nul","cpu":1}]}
END
for format in '' --csv --json; do
	sjkc ttop --replay hostile.jsonl $format >shown
	# Nothing that a terminal acts upon.
	LC_ALL=C grep -c -a -P '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]' shown
	cut -c 1-1000 shown
done
