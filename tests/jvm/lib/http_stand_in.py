# SPDX-License-Identifier: Apache-2.0
"""A fake Jolokia agent, and raw HTTP clients.

Agent(port) serves on 127.0.0.1 in threads.  It keeps the head of each request in
.heads and the length of each body in .bodies, and calls .answer(connection, head,
body), which sends the response.  The default response is 200 with JSON.  If a path
ends with /deaf, it stops reading.
"""
import socket
import threading
import time

OK = (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
      b"Content-Length: 14\r\n\r\n{\"status\":200}")
READ = b'{"type":"read","mbean":"a:b=c","attribute":"X"}'
WRITE = b'{"type":"write","mbean":"a:b=c","attribute":"X","value":1}'


def until(true, seconds=30):
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def resident_kib(pid):
    with open("/proc/%s/status" % pid) as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])


class Reader:
    """Reads messages of a connection."""

    def __init__(self, connection):
        self.connection = connection
        self.rest = b""

    def more(self):
        piece = self.connection.recv(1 << 16)
        if not piece:
            raise EOFError
        self.rest += piece

    def line(self):
        while b"\r\n" not in self.rest:
            self.more()
        line, self.rest = self.rest.split(b"\r\n", 1)
        return line

    def head(self):
        while b"\r\n\r\n" not in self.rest:
            self.more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        return head

    def take(self, count, got):
        while count:
            if not self.rest:
                self.more()
            piece, self.rest = self.rest[:count], self.rest[count:]
            got(piece)
            count -= len(piece)

    def body(self, head, got, until_end=False):
        if header(head, b"transfer-encoding"):
            while True:
                size = int(self.line(), 16)
                self.take(size, got)
                if size == 0 and self.line() == b"":
                    return
                if size:
                    assert self.line() == b""
        elif header(head, b"content-length") is not None:
            self.take(int(header(head, b"content-length")), got)
        elif until_end:
            try:
                while True:
                    got(self.rest)
                    self.rest = b""
                    self.more()
            except EOFError:
                pass


def header(head, name):
    for line in head.split(b"\r\n")[1:]:
        key, value = line.split(b":", 1)
        if key.lower() == name:
            return value.strip()
    return None


class Agent:
    def __init__(self, port, answer=None):
        self.heads, self.bodies, self.connections = [], [], 0
        self.answer = answer or (lambda c, head, body: c.sendall(OK))
        self.listener = socket.create_server(("127.0.0.1", port),
                                             backlog=512)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            c, _ = self.listener.accept()
            c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections += 1
            threading.Thread(target=self.serve, args=(c,),
                             daemon=True).start()

    def serve(self, c):
        reader = Reader(c)
        try:
            while True:
                head, body = reader.head(), []
                self.heads.append(head)
                if head.split()[1].endswith(b"/deaf"):
                    time.sleep(60)
                size = [0]

                def got(piece):
                    size[0] += len(piece)
                    if size[0] < 1 << 20:
                        body.append(piece)
                reader.body(head, got)
                self.bodies.append(size[0])
                if self.answer(c, head, b"".join(body)) is False:
                    break
        except (EOFError, OSError):
            pass
        c.close()


class Client:
    def __init__(self, port, wrap=None):
        self.s = socket.create_connection(("127.0.0.1", port), 30)
        self.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if wrap:
            self.s = wrap(self.s)
        self.reader = Reader(self.s)

    def send(self, raw):
        self.s.sendall(raw)
        return self

    def ask(self, method=b"GET", path=b"/jolokia", body=None, headers=b"",
            version=b"1.1", host=b"localhost"):
        raw = (method + b" " + path + b" HTTP/" + version + b"\r\nHost: " +
               host + b"\r\n" + headers)
        if body is not None:
            raw += b"Content-Length: %d\r\n" % len(body)
        return self.send(raw + b"\r\n" + (body or b""))

    def answer(self, has_body=True):
        """Returns the status, the head and the body; EOFError if it is truncated."""
        head = self.reader.head()
        body = []
        if has_body and head.split()[1] != b"204":
            self.reader.body(head, body.append, True)
        return int(head.split()[1]), head, b"".join(body)

    def status(self):
        try:
            return self.answer()[0]
        except (EOFError, OSError):
            return None

    def is_closed(self, seconds=10):
        self.s.settimeout(seconds)
        try:
            return self.s.recv(1) == b""
        except ConnectionError:
            return True
        except TimeoutError:
            return False

    def close(self):
        self.s.close()
