# The advice is at the end of the errors.
cat >long.jsonl <<END
{"schema":"sjkc.ttop-record/1","title":"long","pid":1}
{"at":0,"wall":0,"process":{},"threads":[],"notes":[{"figure":"names","text":"the kernel's, of 15 bytes: 4711: cannot attach: /tmp is read-only there: the JVM cannot make its socket; mount a small tmpfs on /tmp; or start the JVM with JMX and ask by that","absent":true}]}
END
sjkc ttop --replay long.jsonl --screen 80x9 --keys '?<end><up><up><up>'
