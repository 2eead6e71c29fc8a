# A byte order mark, UTF-16 with and without one, and the NUL bytes that
# logrotate's copytruncate leaves change no text format and no report.
python3 - "$DATA" <<'P'
import json, subprocess, sys
data = sys.argv[1] + '/'
read = lambda name: open(data + name, encoding='utf-8').read()
frames = {'schema': {'stack': 0, 'time': 1}, 'data': []}
texts = {
    'flame --list-events': {
        'collapsed': 'main;a 3\nmain;b 4\n',
        'perf': read('perf/jdk17-sjkc-perfmap.txt'),
        'jstack': read('dumps/jstack-jdk25.txt'),
        'jstack-json': '{"threadDump": {"threadContainers": [{"container":'
                       '"r", "threads": [{"name": "é", "tid": "1", "stack":'
                       '["a.B.c(B.java:1)"]}]}]}}',
        'speedscope': json.dumps({
            '$schema': 'https://www.speedscope.app/file-format-schema.json',
            'shared': {'frames': [{'name': 'a'}]}, 'profiles': [{
                'type': 'sampled', 'name': 'p', 'unit': 'none',
                'startValue': 0, 'endValue': 1, 'samples': [[0]],
                'weights': [1]}]}),
    },
    'threads': {'dump': read('dumps/jstack-jdk25.txt')},
    'gc -i': {'log': '[0.1s][info][gc] GC(0) Pause Young (Normal) (G1 '
                     'Evacuation Pause) 2M->1M(8M) 1.500ms\n'},
    'hh -i': {'histogram': ' num     #instances         #bytes  class name '
                           '(module)\n------------\n   1:  2  48  java.lang.'
                           'String (java.base@17)\nTotal  2  48\n'},
}
encodings = [
    ('a byte order mark', lambda t: b'\xef\xbb\xbf' + t.encode()),
    ('UTF-16LE with a mark', lambda t: b'\xff\xfe' + t.encode('utf-16-le')),
    ('UTF-16BE with a mark', lambda t: b'\xfe\xff' + t.encode('utf-16-be')),
    ('UTF-16LE', lambda t: t.encode('utf-16-le')),
    ('UTF-16BE', lambda t: t.encode('utf-16-be')),
    ('NUL bytes', lambda t: bytes(5000) + t.encode()),
    ('CR LF and a mark',
     lambda t: b'\xef\xbb\xbf' + t.replace('\n', '\r\n').encode()),
]

def run(command, content, is_piped):
    with open('in.txt', 'wb') as f:
        f.write(content)
    arguments = ['sjkc'] + command.split() + ['-' if is_piped else 'in.txt']
    done = subprocess.run(arguments, input=content if is_piped else b'',
                          capture_output=True)
    return done.returncode, (done.stdout + done.stderr).replace(
        b'<stdin>', b'in.txt')

for command, inputs in texts.items():
    for name, text in inputs.items():
        for is_piped in False, True:
            plain = run(command, text.encode(), is_piped)
            if plain[0] != 0:
                print(command, name, plain)
            for encoding, encode in encodings:
                got = run(command, encode(text), is_piped)
                if got != plain:
                    print(command, name, 'with', encoding, got)
        print(command, name, 'done')
P
