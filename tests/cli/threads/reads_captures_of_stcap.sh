# A .std file has many dumps, with CPU times, but without locks.
export TZ=UTC
sjkc threads -n 3 --frames 3 "$DATA/std/busy17.std" | sed "s,^$DATA/,,"
echo '-- a dump in the middle'
sjkc threads --dump 7 -n 1 --frames 1 "$DATA/std/busy17.std" | sed "s,^$DATA/,," |
	sed -n '/^\* /p; /^CPU/,/^Pools/p'
echo '-- stack traces that SJK converted from a recording are no thread dumps'
python3 - <<'END'
import zlib
text = lambda s: len(s).to_bytes(2, "big") + s.encode()
records = b"".join(b"\1" + text(s) for s in
                   ("jfr.typeId", "a", "B", "c", "B.java"))  # strings 17 to 21
records += bytes([2, 18, 19, 20, 21, 9])                     # frame 1
records += bytes([4, 10]) + text("jdk.ExecutionSample")
# Tag set 1: the parts timestamp and thread-stack, and the type of the event
records += bytes([6, 1, 0, 1, 1, 6, 1, 1, 5, 1, 17, 10, 0])
records += bytes([3, 1, 100, 1, 1])                          # an event
open("samples.std", "wb").write(b"EVENTDUMP_1 " + zlib.compress(records))
END
sjkc flame --list-events samples.std
sjkc threads samples.std 2>&1
echo "exit status $?"
