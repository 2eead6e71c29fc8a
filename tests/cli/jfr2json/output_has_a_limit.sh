# Constants refer to one another, so each event stands for millions of values. An
# event may have 64 MiB, and all together 64 MiB more than 4096 times the input.
cat >bomb.py <<'END'
import struct, sys

width, levels, events = map(int, sys.argv[1:])

def varint(value):
    out = b''
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])

def event(type_id, payload):
    payload = varint(type_id) + payload
    size = len(payload) + 4
    padded = bytes(size >> 7 * i & 127 | 128 for i in range(3)) + bytes([size >> 21])
    return padded + payload

strings = []

def ref(text):
    strings.append(b'\x03' + varint(len(text)) + text.encode())
    return varint(len(strings) - 1)

def element(name, attributes, *children):
    head = ref(name) + varint(len(attributes))
    for key, value in attributes.items():
        head += ref(key) + ref(value)
    return head + varint(len(children)) + b''.join(children)

def field(name):
    return element('field', {'name': name, 'class': '20', 'constantPool': 'true'})

fields = [field('f%d' % i) for i in range(width)]
elements = element('root', {}, element('metadata', {},
    element('class', {'id': '20', 'name': 'a.Node'}, *fields),
    element('class', {'id': '100', 'name': 'a.Bomb', 'superType': 'jdk.jfr.Event'},
        field('node'))), element('region', {'locale': 'en_US'}))
metadata = event(0, varint(5000) + b'\0\1' + varint(len(strings)) +
    b''.join(strings) + elements)
nodes = b''.join(varint(k) + varint(k + 1 if k < levels else 0) * width
    for k in range(1, levels + 1))
pools = event(1, varint(5000) + b'\0\0\0\1' + varint(20) + varint(levels) + nodes)
body = metadata + pools + event(100, b'\1') * events
sys.stdout.buffer.write(b'FLR\0' + struct.pack('>HHQQQQQQQI', 2, 1, 68 + len(body),
    68 + len(metadata), 68, 10**18, 10**9, 5000, 10**9, 1) + body)
END
convert() {
	python3 bomb.py "$@" >bomb.jfr
	sjkc jfr2json bomb.jfr -o bomb.json 2>&1
	echo "exit status $?"
	wc -c <bomb.jfr
	wc -c <bomb.json
	tail -c 2 bomb.json
}
echo '-- an event that is too large, behind a small one'
convert 8 30 1
echo '-- many events, each below the limit'
convert 10 5 200
