# SPDX-License-Identifier: Apache-2.0
# Each command on a real terminal, for a JVM whose threads, class, method, locks,
# MBean, options and arguments have controls of terminals in their names: none of
# them arrives there.
# Only in check-all: more than thirty commands, some of which load an agent
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
jdk=$(jdks | head -n 1)
[ -n "$jdk" ] || { echo 'no JDK'; exit 77; }
target_program=Painted
control=$(printf '\033]52;c;PAINT\a\033[31mPAINT\bPAINT\342\200\256PAINT\302\23331mPAINT')
target "$jdk" "-Dpaint=$control" -- "$control" || exit 1
python3 - "$sjkc" "$pid" "$scratch" <<'P'
import fcntl, os, pty, re, select, signal, struct, subprocess, sys, termios, time

sjkc, pid, scratch = sys.argv[1:]
os.chdir(scratch)

# PAINT behind a control that has not become visible text; sequences that sjkc
# itself never writes; controls of direction and of C1.
ACTIVE = re.compile(
    rb'(\x1b\[31m|\x1b\].*?|\x1bc|[\r\b\a]|\xc2\x9b31m|\xe2\x80\xae|\xe2\x81\xa6)'
    rb'PAINT|\x1b[\]PX^_c]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|'
    rb'\xe2\x81[\xa6-\xa9]|\a')

def run(words, keys=b'', seconds=120):
    child, fd = pty.fork()
    if child == 0:
        os.environ['TERM'] = 'xterm-256color'
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('4H', 60, 200, 0, 0))
        os.execv(sjkc, ['sjkc'] + words)
    shown, until = b'', time.time() + seconds
    while time.time() < until:
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            part = os.read(fd, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
        # A key after each screen that shows a name.
        if keys and b'PAINT' in shown[-8192:]:
            os.write(fd, keys[:1])
            keys = keys[1:]
    else:
        os.kill(child, signal.SIGKILL)
    os.close(fd)
    os.waitpid(child, 0)
    return shown

# A file has the names as they are.
subprocess.run([sjkc, 'jstack', pid], stdout=open('raw', 'wb'))
failed = not ACTIVE.search(open('raw', 'rb').read())
if failed:
    print('the file has no controls')
for line, least in [
        ('jps -lvm', 1), ('jstack PID', 1), ('jcmd PID Thread.print', 1),
        ('jcmd PID VM.command_line', 1), ('jcmd PID VM.system_properties', 1),
        ('vminfo PID', 1), ('vminfo PID --sysprops', 1), ('doctor PID', 0),
        ('threads PID', 1), ('threads PID --json', 1), ('ttop PID --iterations 1 --report-interval 1s', 1),
        ('ttop PID', 1), ('prof PID -d 1s', 1), ('prof PID -d 1s -e wall', 1),
        ('prof PID -d 1s -e lock', 0), ('prof PID -d 1s -o a.collapsed', 0),
        ('flame a.collapsed -o -', 1), ('gc PID -d 1s', 0), ('hh PID', 1),
        ('probe PID *PAINT*.run -d 1s', 0),
        ('probe PID *.*PAINT* -d 1s', 0),
        ('mx -p PID -b x:* --info', 1), ('mx -p PID -b x:* --get', 1),
        ('mx -p PID -b x:* --get -f Color --csv', 1), ('mx -p PID -b x:* --get --json', 1),
        ('mx -p PID -b x:* --call --operation paint -a PAINT', 1),
        ('mxdump -p PID -q x:*', 1),
        ('mxping PID', 0), ('jstat PID', 0), ('stcap PID -o a.std -t 1s', 0),
        ('ssa -f a.std --print', 0), ('jstack PAINT', 0), ('jps -v PAINT', 0)]:
    words = [pid if word == 'PID' else word for word in line.split()]
    shown = run(words, b'sblhq' if line == 'ttop PID' else b'')
    found = ACTIVE.search(shown)
    if found:
        at = max(found.start() - 40, 0)
        print('%s: %r' % (line, shown[at:found.end() + 20]))
        failed = True
    if shown.count(b'PAINT') < least:
        print('%s: shows no name: %r' % (line, shown[-300:]))
        failed = True
sys.exit(failed)
P
