# SPDX-License-Identifier: Apache-2.0
#
#	damaged_jmx.py SJKC PORT CUTS [COMMAND…]
#
# CUTS is 3 if it is empty.
# Records the replies of a JVM's JMX port to each command, then sends them
# again, damaged: truncated at CUTS places, followed by silence, slow, endless,
# or with replies of other types and impossible lengths.  The command must end
# by itself in time, use little memory, and print the reason.
#
# All commands log in by the same code.  With EVERY_JDK, each command gets each
# damage to the replies to the login; otherwise only the commands of LOGIN do.
import concurrent.futures, itertools, os, select, signal, socket, struct
import subprocess, sys, tempfile, threading, time

sjkc, jvm_port, cuts = sys.argv[1], int(sys.argv[2]), int(sys.argv[3] or 3)
signal.alarm(1800)

TIMEOUT_S = 1  # --timeout: of an answer
LIMIT_S = 60  # of a command: on a busy machine, too
MEMORY = 300 << 20

COMMANDS = {
    "mxping": ["mxping"],
    "mx --get": ["mx", "-b", "java.lang:type=Memory", "--get"],
    "mx --info": ["mx", "-b", "java.lang:type=Runtime", "--info"],
    "mx --set": ["mx", "-b", "java.lang:type=Memory", "--set", "-f",
                 "Verbose", "-v", "false"],
    "mx --call": ["mx", "-b", "java.lang:type=Threading", "--call",
                  "--operation", "getThreadInfo(long)", "-a", "1"],
    "mx --json": ["mx", "-b", "java.lang:type=Threading", "--call",
                  "--operation", "getThreadInfo(long)", "-a", "1", "--json"],
    "mxdump": ["mxdump", "-q", "java.lang:type=M*,*"],
    "jcmd": ["jcmd", "-c", "VM.version"],
    "ttop": ["ttop", "-b", "-ri", "300ms", "-si", "100ms", "--iterations",
             "1", "--reconnect", "1s"],
}

# These report failures of the login each in their own way.
LOGIN = ("mxping", "mx --get", "ttop")
# The replies to the login: the greeting, the stub of the server, and the session.
LOGIN_PARTS = 3


def listening():
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.listen(16)
    return s


class Recorder:
    """Forwards to the JVM and records its bytes, by connection and part."""

    def __init__(self):
        self.server = listening()
        self.port = self.server.getsockname()[1]
        self.connections = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.server.accept()
            parts = []
            self.connections.append(parts)
            threading.Thread(target=self.relay, args=(client, parts),
                             daemon=True).start()

    def relay(self, client, parts):
        jvm = socket.create_connection(("127.0.0.1", jvm_port))
        while True:
            for s in select.select([client, jvm], [], [])[0]:
                data = s.recv(1 << 20)
                if not data:
                    client.close()
                    jvm.close()
                    return
                if s is client:
                    jvm.sendall(data)
                    parts.append(None)
                    continue
                client.sendall(data)
                if parts and parts[-1]:
                    parts[-1] += data
                else:
                    parts.append(data)


class Gone(Exception):
    pass


class Server:
    """Sends the recorded parts, each after a request, changed by deed."""

    def __init__(self, connections, recorded_port, deed):
        self.server = listening()
        self.port = self.server.getsockname()[1]
        ours, its = (b"127.0.0.1" + struct.pack(">I", p)
                     for p in (self.port, recorded_port))
        self.connections = [[p and p.replace(its, ours) for p in c]
                            for c in connections]
        self.deed = deed
        self.count = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            # A new connection would get the recording from its start.
            if getattr(self.deed, "is_done", False):
                client.close()
                continue
            number = min(self.count, len(self.connections) - 1)
            self.count += 1
            threading.Thread(target=self.serve, args=(client, number),
                             daemon=True).start()

    def serve(self, client, number):
        try:
            said = 0
            for at, part in enumerate(self.connections[number]):
                if part is None:
                    select.select([client], [], [], 0.2)
                    continue
                while select.select([client], [], [], 0)[0]:
                    if not client.recv(1 << 20):
                        raise Gone
                self.deed(client, number, said, part)
                said += len(part)
            self.drain(client)
        except (OSError, Gone):
            pass
        client.close()

    @staticmethod
    def drain(client):
        while client.recv(1 << 20):
            pass

    def close(self):
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()


# Deeds send a part, changed.  Arguments: the connection, its number, the number
# of bytes sent before, and the part.
def as_it_was(client, number, said, part):
    client.sendall(part)


def at(place, then):
    """Sends the recording unchanged up to place, then calls then."""
    def deed(client, number, said, part):
        if number != place[0] or said + len(part) <= place[1]:
            return client.sendall(part)
        deed.is_done = True
        client.sendall(part[:max(place[1] - said, 0)])
        then(client, part[max(place[1] - said, 0):])
        raise Gone
    return deed


def end(client, rest):
    client.shutdown(socket.SHUT_WR)
    Server.drain(client)


def reset(client, rest):
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                      struct.pack("ii", 1, 0))


def silence(client, rest):
    Server.drain(client)


def slowly(client, rest):
    for i in range(len(rest)):
        client.sendall(rest[i:i + 1])
        time.sleep(0.2)


def forever(bytes):
    def deed(client, rest):
        while True:
            client.sendall(bytes * (65536 // len(bytes)))
    return deed


def say(bytes):
    def deed(client, rest):
        client.sendall(bytes)
        end(client, rest)
    return deed


def answer(bytes):
    """Replaces the part at a place; later parts are unchanged."""
    def deed_of(place):
        def deed(client, number, said, part):
            if number == place[0] and said <= place[1] < said + len(part):
                part = bytes
            client.sendall(part)
        return deed
    return deed_of


def utf(text):
    return struct.pack(">H", len(text)) + text


def class_of(name, flags=2, fields=b"\0\0"):
    return (b"\x72" + utf(name) + struct.pack(">Q", 1) + bytes([flags]) +
            fields + b"\x78\x70")


def objects(count):
    return b"\x75" + class_of(b"[Ljava.lang.Object;") + struct.pack(">I", count)


HEAD = b"Q\xac\xed\0\5w\x0f\1" + bytes(14)
THROWN = b"Q\xac\xed\0\5w\x0f\2" + bytes(14)
ESCAPES = utf(b"\x1b]0;owned\x07\x1b[2J\xc2\x9b31m</script>\r\n")

ANSWERS = {
    "null": HEAD + b"\x70",
    "a string": HEAD + b"\x74" + ESCAPES,
    "an integer": HEAD + b"\x73" + class_of(b"java.lang.Integer", 2,
                                            b"\0\1I\0\5value") +
    b"\xff\xff\xff\xff",
    "nothing": HEAD,
    "an array of nulls": HEAD + objects(1000) + b"\x70" * 1000,
    "the largest array": HEAD + objects(0x7fffffff) + b"\x70" * 1000,
    "the largest string": HEAD + b"\x7c\x7f" + b"\xff" * 7 + b"abc",
    "a deep nest": HEAD + objects(1) +
    (b"\x75\x71\0\x7e\0\0\0\0\0\1") * 100000,
    "what doubles": HEAD + objects(101) +
    b"\x75\x71\0\x7e\0\0\0\0\0\2\x70\x70" +
    b"".join(b"\x75\x71\0\x7e\0\0\0\0\0\2" +
             (b"\x71" + struct.pack(">I", 0x7e0000 + i)) * 2
             for i in range(2, 102)),
    "a text again and again": HEAD + objects(101) + b"\x7c" +
    struct.pack(">Q", 1 << 16) + b"\x1b" * (1 << 16) +
    b"\x71\0\x7e\0\2" * 100,
    "a long text": HEAD + b"\x7c" + struct.pack(">Q", 24 << 20) +
    b"\x1b" * (24 << 20),
    "many elements": HEAD + objects(1 << 20) + b"\x70" * (1 << 20),
    "an info without anything": HEAD + b"\x73" +
    class_of(b"javax.management.MBeanInfo"),
    "a list of itself": HEAD + b"\x73" + class_of(b"java.util.ArrayList", 3) +
    b"w\4\0\0\0\1" + b"\x71\0\x7e\0\1" * 1000 + b"\x78",
    "an exception": THROWN + b"\x73" + class_of(
        b"java.lang.Throwable", 2, b"\0\1L\0\x0ddetailMessage" + b"\x74" +
        utf(b"Ljava/lang/String;")) + b"\x74" + ESCAPES,
    "an exception that is none": THROWN + b"\x74" + ESCAPES,
    "another return's head": b"Q\xac\xed\0\5w\x10\1" + bytes(15) + b"\x70",
}

ENDS = {
    "an alert": say(b"\x15\3\3\0\2\2\x28"),
    "a page": say(b"HTTP/1.1 400 Bad Request\r\n\r\n" + b"<p>" * 1000),
    "zeroes": say(bytes(10000)),
    "endless strings": forever(b"\x74\0\0"),
    "endless nulls": forever(b"\x70"),
    "endless returns": forever(HEAD + b"\x70"),
    "silence": silence,
    "a byte now and then": slowly,
}


def run(name, port, timeout_s=TIMEOUT_S):
    """Returns exit status, standard output and error, and seconds."""
    first, *rest = COMMANDS[name]
    # Not ru_maxrss, because a child's starts at this process's value.
    command = ["prlimit", "--data=%d" % MEMORY, sjkc, first, "-s", "127.0.0.1:%d" % port, "--timeout",
               "%ds" % timeout_s]
    # mxping has no such option: the stub is patched to this port.
    if name != "mxping":
        command.append("--force-address")
    command += rest
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    began = time.monotonic()
    p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out,
                         stderr=err)
    killer = threading.Timer(LIMIT_S * 2, p.kill)
    killer.start()
    status = p.wait()
    killer.cancel()
    texts = []
    for f in (out, err):
        f.seek(0)
        texts.append(f.read())
    return status, *texts, time.monotonic() - began


failures, runs, longest = [], 0, 0
lock = threading.Lock()


def check(name, what, connections, recorded_port, deed, whole=None):
    """whole: the complete output; if the output differs, the command must fail."""
    global runs, longest
    server = Server(connections, recorded_port, deed)
    status, out, err, took = run(name, server.port)
    server.close()
    wrong = []
    if not 0 <= status <= 9 or status == 2:
        wrong.append("exit status %d" % status)
    if status == 0 and whole is not None and out != whole:
        wrong.append("it is said to be all")
    if status and not err.strip() and not (name == "mxping" and out.strip()):
        wrong.append("no message")
    # Without a terminal, jcmd prints the JVM's text unchanged.
    shown = err if name == "jcmd" else out + err
    if b"\x1b" in shown or b"\xc2\x9b" in shown:
        wrong.append("an escape sequence is printed")
    if b"memory" in err and status == 1:
        wrong.append("more than %d MB" % (MEMORY >> 20))
    if took > LIMIT_S:
        wrong.append("%.1f s" % took)
    with lock:
        runs += 1
        longest = max(longest, took)
        if wrong:
            failures.append("%s, %s: %s\n%s" % (
                name, what, ", ".join(wrong),
                err.decode(errors="replace")[:500]))
    return out


def record(name):
    recorder = Recorder()
    status, out, err, _ = run(name, recorder.port, 60)
    if status:
        sys.exit("%s: exit status %d\n%s" % (name, status, err.decode()))
    if name != "mxping":
        return recorder.connections, recorder.port
    # mxping followed the stub to the JVM's own port, which is patched.
    return recorder.connections, jvm_port


def places(connections):
    """Yields (connection, byte) at equal distances in the whole recording."""
    lengths = [sum(len(p) for p in c if p) for c in connections]
    total = sum(lengths)
    for i in range(cuts):
        left = total * i // cuts
        for number, length in enumerate(lengths):
            if left < length:
                yield number, left
                break
            left -= length


def parts(connections):
    for number, c in enumerate(connections):
        said = 0
        for p in c:
            if p:
                yield number, said
                said += len(p)


def attacks(name):
    """Yields the arguments of check() for each damage to a command's replies."""
    connections, port = record(name)
    args = connections, port
    whole = check(name, "unchanged", *args, as_it_was)
    # The output of these has times and measured values.
    if name in ("mxping", "ttop"):
        whole = None
    for i, place in enumerate(places(connections)):
        how = [end, reset][i % 2]
        yield name, "%s at %s" % (how.__name__, place), *args, at(
            place, how), whole
    all_parts = list(parts(connections))
    middle = all_parts[len(all_parts) // 2]
    own = 1
    if name not in LOGIN and not os.environ.get("EVERY_JDK"):
        own = LOGIN_PARTS
        assert len(all_parts) > own, all_parts
    for what, bytes in ANSWERS.items():
        for place in all_parts[own:7]:
            yield name, "%s in place of %s" % (what, place), *args, answer(
                bytes)(place)
    for place in all_parts[:1 if own == 1 else 0] + [
            middle, (middle[0], middle[1] + 30)]:
        for what, deed in ENDS.items():
            # Each of the endless returns is a valid reply.
            yield name, "%s at %s" % (what, place), *args, at(
                place, deed), None if what == "endless returns" else whole


done = []
with concurrent.futures.ThreadPoolExecutor(12) as pool:
    # Commands alternate, so that some wait while others work.
    each = [list(attacks(name)) for name in COMMANDS
            if len(sys.argv) < 5 or name in sys.argv[4:]]
    for jobs in itertools.zip_longest(*each):
        for job in filter(None, jobs):
            done.append(pool.submit(check, *job))
for future in done:
    future.result()
print("%d runs; at most %.1f s" % (runs, longest))
for f in failures[:20]:
    print(f)
sys.exit(bool(failures) or not runs)
