# Recordings and dumps of other projects, each with an independent count of its
# samples or threads. Where sjkc differs, the table has its result and why.
# Sanitized only in check-all: 10 s of CPU time; the readers have unit tests.
[ -d "$SHARED/foreign/threads" ] || {
	echo 'no recordings of other projects'
	exit 77
}
python3 - "$SHARED/foreign" <<'P'
import os, re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

root = sys.argv[1]

# Part of a name: exit status, count (None: the independent one), reason.
# The first row that fits applies.
explained = [
    # perf script
    ('__empty-line.', 7, 2, 'an empty line before the frames ends the sample'),
    ('__no-events.', 6, 0, 'an empty file'),
    ('__weird-stack-line.', 7, 1, 'the only frame of a sample is no frame'),
    # collapsed stack traces
    ('simple-utf16-', 0, 14, 'the independent count cannot read UTF-16'),
    ('simple-with-invalids.', 7, None, 'has invalid lines'),
    ('__bad-lines.', 7, None, 'has invalid lines'),
    ('__bad_before.', 7, None, 'has an invalid line'),
    ('__nameattr', 6, 0, 'attributes of frames, not stack traces'),
    ('palette', 6, 0, 'colors, not stack traces'),
    ('__austin__', 0, 291, 'a comment ends with a number'),
    ('_expected_collapsed.', 6, 0, 'weights in brackets: not this format'),
    # thread dumps
    ('jrockit', 6, 0, 'a format of JRockit'),
    ('814JRockit', 6, 0, 'a format of JRockit'),
    ('910JRockit', 6, 0, 'a format of JRockit'),
    ('BEAidle', 6, 0, 'a format of JRockit'),
    ('BEAstacked', 6, 0, 'a format of JRockit'),
    ('__1.3.1IBM.', 6, 0, 'an old format of IBM'),
    ('__hp.dmp', 6, 0, 'a format of HP-UX'),
    ('carrier_stuck.', 7, None, 'ends within a dump'),
    ('java21dump.', 7, None, 'has headers that no JVM prints'),
    ('jdk11_long_running.', 7, None, 'ends within two dumps'),
    ('-java8-text.', 7, 25, 'a header without an id'),
    ('blocked-without-monitor', 7, None, 'ends within a dump'),
    ('in_wait_without_monitor', 7, None, 'ends within a dump'),
    ('inconsistent-locks-and-state', 7, None, 'ends within a dump'),
    ('runnable-in-object-wait', 7, None, 'ends within a dump'),
    ('runnable_in_unsafe_park', 7, None, 'ends within a dump'),
    ('0001-threaddump.', 7, None, 'begins within a dump'),
    ('many-virtual-threads.', 0, 64, 'ten are mounted virtual threads'),
    ('thread-dump-deadlock.', 7, None, 'ends within a dump'),
    ('thread-dump-jcmd.', 7, None, 'begins within a dump'),
    ('thread-dump-jstack.', 7, 9, 'two dumps without their ends'),
]

def rows(path):
    done = subprocess.run(['sjkc', 'flame', '--list-events', path],
                          capture_output=True, text=True)
    for line in done.stdout.splitlines()[1:]:
        if not line:
            break
        yield done.returncode, re.split(r'\s{2,}', line)
    yield done.returncode, None

def check(kind, name, want):
    status, count = 0, 0
    for status, row in rows(os.path.join(root, kind, name)):
        if row:
            numbers = [c for c in row[1:] if c.isdigit()]
            count += int(numbers[0])
    want = (0, round(float(want)))
    got = (status, count)
    for part, exit_status, number, _ in explained:
        if part in name:
            want = exit_status, want[1] if number is None else number
            break
    # JFR's sampler has no name up to JDK 17; the independent count misses it.
    if got == want or ('jthreaddump/scenarios' in name and
                       got == (0, want[1] + 1)):
        return None
    return '%s %s: expected %s, got %s' % (kind, name, want, got)

todo = []
for kind in 'perftext', 'collapsed', 'threads':
    with open(os.path.join(root, kind, 'expected.tsv')) as table:
        todo += [(kind, *line.rstrip('\n').split('\t')[:2])
                 for line in table if not line.startswith('#')]
if len(todo) < 400:
    print('only', len(todo), 'files')
with ThreadPoolExecutor(2) as pool:
    for fault in pool.map(lambda t: check(*t), todo):
        if fault:
            print(fault)
P
