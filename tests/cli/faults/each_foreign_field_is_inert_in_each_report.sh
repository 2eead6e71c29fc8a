# An escape sequence, markup and the start of a formula in each field of each
# input, one at a time: no report has a raw control byte, no CSV an active
# formula, no page an element of the input, and JSON is valid.
python3 - <<'P'
import csv, io, json, os, re, subprocess

HOSTILE = '=cmd\x1b[31m\x07</script><hostile x="1">&'

def varint(n):
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])

def message(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content

def number(field, value):
    return varint(field << 3) + varint(value)

def pprof(type='cpu', unit='nanoseconds', function='a.B.run', file='B.java',
          key='thread', value='main', mapping='/lib/x.so'):
    strings = ['', type, unit, function, file, key, value, mapping]
    return b''.join(
        [message(1, number(1, 1) + number(2, 2)),
         message(2, message(1, varint(1)) + message(2, varint(7)) +
                 message(3, number(1, 5) + number(2, 6))),
         message(3, number(1, 1) + number(5, 7)),
         message(4, number(1, 1) + number(2, 1) +
                 message(4, number(1, 1) + number(2, 9))),
         message(5, number(1, 1) + number(2, 3) + number(4, 4))] +
        [message(6, s) for s in strings])

def dump(vm='X', name='worker', clazz='a.B', method='run', file='B.java',
         lock='a.Lock', id='0x1'):
    return ('Full thread dump %s (17):\n\n"%s" #1 daemon prio=5 tid=0x1 nid=0x1'
            ' waiting for monitor entry\n   java.lang.Thread.State: BLOCKED\n'
            '\tat %s.%s(%s:1)\n\t- waiting to lock <%s> (a %s)\n\t- locked <0x2>'
            ' (a %s)\n\n"owner" #2 tid=0x2 nid=0x2 runnable\n   '
            'java.lang.Thread.State: RUNNABLE\n\tat %s.%s(Native Method)\n\t'
            '- locked <%s> (a %s)\n\nFound one Java-level deadlock:\n=====\n'
            '"%s":\n  waiting to lock monitor 0x1 (object %s, a %s),\n  which is'
            ' held by "%s"\n\nFound 1 deadlock.\n\nJNI global refs: 1\n' %
            (vm, name, clazz, method, file, id, lock, lock, clazz, method, id,
             lock, name, id, lock, name)).encode()

def infos(name='worker', lock='a.Lock@1', clazz='a.B', method='run',
          file='B.java'):
    return json.dumps({'threads': [{
        'threadName': name, 'threadId': 1, 'threadState': 'BLOCKED',
        'lockName': lock, 'lockOwnerId': 2, 'stackTrace': [
            {'className': clazz, 'methodName': method, 'fileName': file,
             'lineNumber': 3}]}]}).encode()

# The first lines show the format.
def collapsed(frame='main', thread='t'):
    return ('main;a 1\n' * 1000 + '[%s tid=1];%s;work 3\n' %
            (thread, frame)).encode()

def speedscope(name='p', frame='f', file='F.java', unit='none'):
    return json.dumps({
        '$schema': 'https://www.speedscope.app/file-format-schema.json',
        'shared': {'frames': [{'name': frame, 'file': file}]},
        'profiles': [{'type': 'sampled', 'name': name, 'unit': unit,
                      'startValue': 0, 'endValue': 1, 'samples': [[0]],
                      'weights': [1]}]}).encode()

def perf(command='java', event='cycles', symbol='work', file='/bin/x'):
    form = '%s 4711 12.5: 7 %s: \n\t  7f12aa %s+0x1 (%s)\n\n'
    return (form % ('java', 'cycles', 'work', '/bin/x') + form %
            (command, event.replace(' ', ''), symbol, file)).encode()

def log(kind='Young', cause='Evacuation', operation='G1Collect'):
    return ('[0.1s][info][gc] GC(0) Pause %s (Normal) (%s) 2M->1M(8M) 1.5ms\n'
            '[0.2s][info][safepoint] Safepoint "%s", Time since last: 5 ns, '
            'Reaching safepoint: 6 ns, At safepoint: 7 ns, Total: 13 ns\n'
            % (kind, cause, operation)).encode()

def histogram(name='a.B', module='m@1'):
    return (' num     #instances         #bytes  class name (module)\n-----\n'
            '   1:  2  48  %s (%s)\nTotal  2  48\n' % (name, module)).encode()

PROFILE = [
    'flame IN -o out.html', 'flame IN -o out.svg', 'flame IN -o out.json',
    'flame IN -o out.collapsed', 'flame --list-events IN',
    'flame --list-events --json IN', 'flame IN --threads -o out.html',
    'flame IN --threads -o out.collapsed', 'prof -i IN',
    'prof --csv -i IN', 'prof --json -i IN', 'ssa --histo -f IN',
    'ssa --histo --csv-output -f IN', 'ssa --print -f IN',
    'ssa --thread-info -f IN', 'ssa --thread-info --csv-output -f IN',
    'ssa --flame -f IN', 'diff IN IN', 'diff --json IN IN',
    'diff --csv IN IN',
]
DUMP = PROFILE + ['threads IN', 'threads --csv IN', 'threads --json IN',
                  'threads -o out.html IN']
GC = ['gc -i IN', 'gc --csv -i IN', 'gc --json -i IN', 'gc -o out.html -i IN']
HISTOGRAM = ['hh -i IN', 'hh --csv -i IN', 'hh --json -i IN',
             'hh --diff IN -i IN']
inputs = [(pprof, PROFILE), (dump, DUMP), (infos, DUMP), (collapsed, PROFILE),
          (speedscope, PROFILE), (perf, PROFILE), (log, GC),
          (histogram, HISTOGRAM)]
runs = reports = 0

def fault(where, why, text):
    print('%s: %s: %r' % (where, why, text[:200]))

def check(where, command, name, output):
    global reports
    reports += bool(output)
    text = output.decode(errors='surrogateescape')
    control = re.search('[\x00-\x08\x0b-\x1f\x7f]', text)
    if control:
        fault(where, 'a control byte', text[max(0, control.start() - 60):])
    if name.endswith(('.html', '.svg')) or text.startswith(('<!', '<svg')):
        at = text.find('<hostile')
        if at >= 0:
            fault(where, 'an element', text[max(0, at - 60):])
    if '--csv' in command and name == 'stdout':
        for row in csv.reader(io.StringIO(text)):
            for cell in row:
                if re.match('[=+@\t\r-]', cell) and not re.fullmatch(
                        r'[-+]?[\d.,]+%?', cell):
                    fault(where, 'a formula', cell)
    is_json = ('--json' in command and name == 'stdout') or name.endswith(
        '.json')
    if text and is_json:
        for document in (text.splitlines() if command.startswith('gc')
                         else [text]):
            json.loads(document)

def run(where, command):
    global runs
    runs += 1
    done = subprocess.run(['sjkc'] + command.replace('IN', 'in.txt').split(),
                          capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 7):
        fault(where, 'exit status %d' % done.returncode, '')
    check(where, command, 'stdout', done.stdout)
    check(where, command, 'stderr', done.stderr)
    for name in os.listdir('.'):
        if name.startswith('out.'):
            check(where, command, name, open(name, 'rb').read())
            os.remove(name)

for make, commands in inputs:
    count = make.__code__.co_argcount
    for field in make.__code__.co_varnames[:count]:
        with open('in.txt', 'wb') as out:
            out.write(make(**{field: HOSTILE}))
        for command in commands:
            run('%s of %s, %s' % (field, make.__name__, command), command)
print('many' if runs > 600 and reports > 600 else (runs, reports), 'reports')
P
