# The pprof files of other projects: the sum of each type of value, which
# Google's pprof module reads too. Where sjkc differs, the table has
# the reason.
# Sanitized only in check-all: 3 s of CPU time; read_pprof_test is sanitized.
[ -d "$SHARED/foreign/pprof" ] || {
	echo 'no recordings of other projects'
	exit 77
}
python3 - "$SHARED/foreign/pprof" <<'P'
import json, os, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

root = sys.argv[1]

# Part of a name: exit status, sums that differ, reason.
explained = [
    ('__alloc_space_delta.', 7,
     {'inuse_objects': 820931, 'inuse_space': 1113745096},
     'a difference: the sums of the values that are not negative'),
    ('__invalid_utf8.', 7, {}, 'a string is no UTF-8'),
    ('normalizer__profile.', 6, {'': 0},
     'the only type has no name: recognized with --format pprof alone'),
]
units = {'nanoseconds': ('ns', 1), 'microseconds': ('ns', 1000),
         'bytes': ('bytes', 1)}

def check(name, want):
    done = subprocess.run(['sjkc', 'flame', '--list-events', '--json',
                           os.path.join(root, name)],
                          capture_output=True, text=True)
    got = {}
    samples = []
    for event in json.loads(done.stdout or '{"events":[]}')['events']:
        got[event['name']] = event['weight'], event['unit']
        samples.append(event['samples'])
    status, others, _ = next((rest for part, *rest in explained
                              if part in name), (0, {}, ''))
    faults = []
    for column in want.split('; '):
        kind, total = column.rsplit(' ', 1)
        kind, unit = kind.split('/')
        total = others.get(kind, int(total))
        unit, factor = units.get(unit, ('samples', 1))
        # The number of a pair, such as samples/count of cpu/nanoseconds, is
        # the number of samples of its event.
        if kind in got:
            if got.pop(kind) != (total * factor, unit):
                faults.append(column)
        elif total and total not in samples:
            faults.append(column)
    faults += ['also ' + kind for kind in got]
    if done.returncode != status:
        faults.append('status %d' % done.returncode)
    return '%s: %s' % (name, '; '.join(faults)) if faults else None

with open(os.path.join(root, 'expected.tsv')) as table:
    todo = [line.split('\t')[:2] for line in table if line[0] != '#']
if len(todo) < 100:
    print('only', len(todo), 'files')
with ThreadPoolExecutor(2) as pool:
    for fault in pool.map(lambda t: check(*t), todo):
        if fault:
            print(fault)
P
