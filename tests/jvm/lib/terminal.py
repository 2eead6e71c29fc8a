# SPDX-License-Identifier: Apache-2.0
"""Runs commands of sjkc on a terminal, and fails if a control in a name arrives there.

	terminal.py SJKC <COMMANDS

A line has the least number of names that the command shows, the keys that it gets, or
"-", and its arguments.  $NAME in an argument is a variable of the environment.  Names
have the word PAINT behind each control.
"""
import fcntl, os, pty, re, select, shlex, signal, struct, sys, termios, time

# PAINT behind a control that has not become visible text; sequences that sjkc
# itself never writes; controls of direction and of C1.
ACTIVE = re.compile(
    rb'(\x1b\[31m|\x1b\].*?|\x1bc|[\r\n\b\a]|\xc2\x9b31m|\xe2\x80\xae|\xe2\x81\xa6)'
    rb'PAINT|\x1b[\]PX^_c]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|'
    rb'\xe2\x81[\xa6-\xa9]|\a')

def run(sjkc, words, keys, seconds=120):
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

failed = False
for line in sys.stdin:
    least, keys, *words = shlex.split(line)
    words = [re.sub(r'\$(\w+)', lambda m: os.environ[m[1]], word) for word in words]
    shown = run(sys.argv[1], words, b'' if keys == '-' else keys.encode())
    found = ACTIVE.search(shown)
    if found:
        at = max(found.start() - 40, 0)
        print('%s: %r' % (line.strip(), shown[at:found.end() + 20]))
        failed = True
    if shown.count(b'PAINT') < int(least):
        print('%s: shows %d names: %r' % (line.strip(), shown.count(b'PAINT'), shown[-300:]))
        failed = True
    if os.environ.get('VERBOSE'):
        print(line, shown.decode(errors='replace').replace('\x1b', '<ESC>'))
sys.exit(failed)
