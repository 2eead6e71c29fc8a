# A profile with 60 events, of which the page has the 50 with the most samples.
cat >make.py <<'END'
import sys
def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)
def number(field, n):
    return varint(field << 3) + varint(n)
def nested(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data
names = ["", "count", "a.B.c"] + ["event-%02d" % i for i in range(60)]
out = b"".join(nested(1, number(1, 3 + i) + number(2, 1)) for i in range(60))
values = b"".join(number(2, (i + 1) * int(sys.argv[1])) for i in range(60))
out += nested(2, number(1, 1) + values)
out += nested(4, number(1, 1) + nested(4, number(1, 1)))
out += nested(5, number(1, 1) + number(2, 2))
out += b"".join(nested(6, name.encode()) for name in names)
open(sys.argv[2], "wb").write(out)
END
python3 make.py 1 before.pb && python3 make.py 2 after.pb || exit
sjkc diff -o page.html before.pb after.pb
echo "exit status $?"
sjkc diff -q -e event-09 -o event.html before.pb after.pb
echo "exit status $?"
