# Only in check-all: 7 s of CPU time.
# A recording whose 200,000 stack traces share their callers, and a thread that
# owns 400,000 locks: a loop to the root for each stack trace, or over all locks
# for each lock, would take 10^10 steps and more.
python3 - <<'P'
import json
n = 200000
numbers = list(range(n))
one = lambda **k: dict({key: [value] for key, value in k.items()}, length=1)
thread = {
    'name': 'T', 'tid': 1, 'pid': 1, 'stringArray': ['f'],
    'samples': {'stack': numbers, 'time': numbers, 'weight': None,
                'weightType': 'samples', 'length': n},
    'stackTable': {'prefix': [None] + numbers[:-1], 'frame': [0] * n,
                   'length': n},
    'frameTable': one(func=0, line=None, category=0),
    'funcTable': one(name=0, isJS=False, resource=-1, fileName=None),
    'resourceTable': {'length': 0}, 'nativeSymbols': {'length': 0},
}
json.dump({'meta': {'preprocessedProfileVersion': 48, 'interval': 1,
                    'startTime': 0, 'categories': [{'name': 'Other'}]},
           'libs': [], 'threads': [thread]}, open('shared.json', 'w'))
with open('locks.txt', 'w') as out:
    out.write('Full thread dump X (17):\n\n"t" #1 tid=0x1 nid=0x1 runnable\n'
              '   java.lang.Thread.State: RUNNABLE\n\tat a.b.c(D.java:1)\n')
    out.writelines('\t- locked <0x%x> (a x)\n' % i for i in range(400000))
    out.write('\nJNI global refs: 1\n')
P
# The limit is of CPU time, so it does not depend on other programs.
try() {
	echo "-- $*"
	(ulimit -t 25 && exec sjkc "$@") >/dev/null
	echo "exit status $?"
}
try flame shared.json --output-format jfr -o -
try stcpy shared.json -o out.std
for form in '' --csv --json; do
	try threads $form locks.txt
done
