# The recorded text of blocked threads has OSC 52, CSI, C1 as UTF-8 and a
# bidirectional override.
cat >hostile.jsonl <<'END'
{"schema":"sjkc.ttop-record/1","title":"t","pid":1,"wall":0}
{"at":0,"threads":[{"tid":1,"name":"a","cpu":0}]}
{"at":1000000000,"threads":[{"tid":1,"name":"a","cpu":4}]}
{"shown":"blocked","of":0,"text":"\"a\" #12\n  \u001b]52;c;aGk=\u0007holds \u001b[2J\u009b31m\u202e<0x1>\n"}
END
sjkc ttop --replay hostile.jsonl -b --blocked >shown
LC_ALL=C grep -c -a -P '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]' shown
sed -n '/^"a"/,$p' shown
