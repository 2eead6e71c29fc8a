# SPDX-License-Identifier: Apache-2.0
# The text report of off-CPU time begins with the application's frames and the calls that
# wait: a monitor and fsync, as the program measured them. Idle threads of a pool, in
# accept(), in a loop that sleeps, and of the JVM are omitted, and their time is printed.
scratch=$2
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

target_program=Syncing
target "$(jdks | head -n 1)" -- "$scratch/go" "$scratch/synced" || exit 1
prof_start --no-agent -e offcpu -n 0 -o "$scratch/waits.jfr" "$pid" || exit 1
target_wait "$prof_err" 'sampling' || exit 1
: >"$scratch/go"
target_wait "$said" DONE || exit 1
kill -INT "$prof_pid"
prof_end 0 || exit 1

PATH=$(dirname "$sjkc"):$PATH python3 - "$said" "$scratch/waits.jfr" <<'EOF'
import json, re, subprocess, sys

account = dict(line.split() for line in open(sys.argv[1])
               if line.startswith(('SYNCED', 'ENTERED')))
def prof(*options):
    return subprocess.run(['sjkc', 'prof', '-i', sys.argv[2], *options], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
units = {'s': 1e9, 'ms': 1e6, 'us': 1e3, 'ns': 1}
def ns(number, unit):
    return float(number) * units[unit]

text = prof('-n', '0', '--chain', '0')
rows = re.findall(r'^ *[0-9.]+% +([0-9.]+) (s|ms|us|ns)  (\S.*?)(?:  +(\S.*))?$',
                  text.split('\nwaits: ')[1].split('\n\n')[0], re.M)
sums = {(frame, call): ns(number, unit) for number, unit, frame, call in rows}
append = 'Syncing.append'
print('|', rows[:3], account)
if int(account['SYNCED']) < 1e8:
    print('# SKIP fsync of this file system takes no time')
    sys.exit(77)
assert {row[2:] for row in rows[:2]} == {
    (append, '[enters a monitor]'), (append, 'java.io.FileDescriptor.sync')}
for name, call in (('ENTERED', '[enters a monitor]'), ('SYNCED', 'java.io.FileDescriptor.sync')):
    share = sums[append, call] / int(account[name])
    print('|', name, share)
    # The rest of the program's time is CPU time.
    assert 0.3 < share < 1.02, (name, share)
shares = re.findall(r'^ *([0-9.]+)% +[0-9.]+ \w+  (\S.*?) #[0-9]+ ',
                    text.split('\nhottest threads\n')[1].split('\n\n')[0], re.M)
print('|', shares[:5])
assert sum(float(share) for share, name in shares
           if re.fullmatch('pool-1-thread-[0-9]', name)) > 90, shares
left = ns(*re.search(r'^note: idle threads omitted: ([0-9.]+) (\w+);', text, re.M).groups())
kept = ns(*re.search(r' total ([0-9.]+) (\w+),', text).groups())
every = json.loads(prof('--json'))['reports'][0]
assert abs(left + kept - every['total_ns']) < 0.02 * every['total_ns']
assert abs(left - every['idle_ns']) < 0.02 * every['idle_ns']
idle = prof('--idle')
assert 'omitted' not in idle and 'Signal Dispatcher' in prof('--idle', '-n', '0')
assert abs(ns(*re.search(r' total ([0-9.]+) (\w+),', idle).groups()) / every['total_ns'] - 1) < 0.01
EOF
