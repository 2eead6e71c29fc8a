# SPDX-License-Identifier: Apache-2.0
"""A fake JVM that speaks RMI, and the bytes of a client.

Jvm(port) serves in threads: a registry, whose stub has the address 169.254.169.254
and the same port, and newClient.  Every other call returns .value().  It keeps the
received bytes, a list for each connection.
"""
import os
import socket
import ssl
import struct
import threading
import time

HELLO = b"JRMI\0\2K"
ENDPOINT = b"\0\4test\0\0\0\0"
GREETING = HELLO + ENDPOINT  # not to be sent at once to a real JVM
NONE = b"\xff\xff\xff\xff"
REGISTRY = bytes(22)
SERVER = b"\x11" * 22
SESSION = b"\x22" * 22
NEW_CLIENT = bytes.fromhex("f0e074eaad0caea8")
GET_DOMAIN = bytes.fromhex("53eda2d82e1bdfa8")
GET_VERSION = bytes.fromhex("8fda2350c701988d")
GET_ATTRIBUTE = bytes.fromhex("f0e0500a394d7215")
REGISTRY_HASH = bytes.fromhex("44154dc9d4e63bdf")


def call(object_id, method, arguments=b"", operation=NONE):
    head = object_id + operation + method
    return (b"P\xac\xed\0\5w" + bytes([len(head)]) + head + arguments)


def utf(text):
    return struct.pack(">H", len(text)) + text


def string(text):
    return b"t" + utf(text)


LOOKUP = call(REGISTRY, REGISTRY_HASH, string(b"jmxrmi"), b"\0\0\0\2")
LOGIN = call(SERVER, NEW_CLIENT, b"p")
DOMAIN = call(SESSION, GET_DOMAIN, b"p")


def name(text):
    return (b"sr" + utf(b"javax.management.ObjectName") +
            bytes.fromhex("0f03a71beb6d15cf") + b"\3\0\0pxp" + string(text) +
            b"x")


def attribute(mbean, which):
    return call(SESSION, GET_ATTRIBUTE, name(mbean) + string(which) + b"p")


def returned(value, kind=b"\1"):
    return b"Q\xac\xed\0\5w\17" + kind + b"\1" * 14 + value


def reference(host, port, object_id):
    data = (utf(b"UnicastRef") + utf(host) + struct.pack(">i", port) +
            object_id + b"\1")
    return b"w" + bytes([len(data)]) + data


def stub(class_name, host, port, object_id):
    return (b"sr" + utf(class_name) + bytes(7) + b"\2\2\0\0px" +
            b"r" + utf(b"java.rmi.server.RemoteStub") +
            bytes.fromhex("e9fedcc98be1651a") + b"\2\0\0px" +
            b"r" + utf(b"java.rmi.server.RemoteObject") +
            bytes.fromhex("d361b4910c61331e") + b"\3\0\0pxp" +
            reference(host, port, object_id) + b"x")


PACKAGE = b"javax.management.remote.rmi."


def server_stub(host, port):
    return stub(PACKAGE + b"RMIServerImpl_Stub", host, port, SERVER)


def session_stub(host, port):
    return stub(PACKAGE + b"RMIConnectionImpl_Stub", host, port, SESSION)


class Jvm:
    """.value() may be replaced; it may be a list of pieces."""

    def __init__(self, port=0, host=b"169.254.169.254", tls=None,
                 address="127.0.0.1"):
        self.host = host
        self.tls = tls
        self.heard = []
        self.connections = []
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind((address, port))
        self.socket.listen(1100)
        self.port = self.socket.getsockname()[1]
        self.value = lambda: string(b"a value")
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                c, _ = self.socket.accept()
            except OSError:
                return
            heard = []
            self.heard.append(heard)
            self.connections.append(c)
            threading.Thread(target=self.serve, args=(c, heard),
                             daemon=True).start()

    def serve(self, c, heard):
        try:
            if self.tls and c.recv(1, socket.MSG_PEEK) == b"J":
                take(c, 7)
                c.sendall(b"\x15\3\3\0\2\2\x50")
                raise OSError
            if self.tls:
                c = self.tls.wrap_socket(c, server_side=True)
            self.greet(c)
            while True:
                message = c.recv(1 << 20)
                if not message:
                    break
                heard.append(message)
                for piece in self.answer(message):
                    c.sendall(piece)
        except (OSError, EOFError):
            pass
        c.close()

    def greet(self, c):
        if take(c, 7) != HELLO:
            raise OSError
        c.sendall(b"N\0\t127.0.0.1\0\0\1\0")
        take(c, struct.unpack(">H", take(c, 2))[0] + 4)

    def answer(self, message):
        if message[:1] == b"R":
            return [b"S"]
        if message[:1] != b"P":
            return []
        if LOOKUP in message:
            return [returned(server_stub(self.host, self.port))]
        if message[34:42] == NEW_CLIENT or NEW_CLIENT in message[:60]:
            return [returned(session_stub(self.host, self.port))]
        value = self.value()
        if isinstance(value, bytes):
            return [returned(value)]
        return value

    def close(self):
        """Ends it as a process that is killed does."""
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for c in self.connections:
            try:
                c.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            c.close()


def connect(port, source=None, timeout=120, to="127.0.0.1"):
    s = socket.socket()
    s.settimeout(timeout)
    if source:
        s.bind((source, 0))
    s.connect((to, port))
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


def server_tls(cert, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context


def take(s, length):
    got = b""
    while len(got) < length:
        piece = s.recv(length - len(got))
        if not piece:
            raise EOFError("after %d of %d bytes: %r" % (len(got), length,
                                                         got[:100]))
        got += piece
    return got


def greet(s):
    s.sendall(HELLO)
    head = take(s, 3)
    assert head[:1] == b"N", head
    take(s, struct.unpack(">H", head[1:])[0] + 4)
    s.sendall(ENDPOINT)
    return s


def greeted(port, source=None, to="127.0.0.1"):
    return greet(connect(port, source, to=to))


def ask(s, message, answer):
    """Sends a message; fails unless exactly the answer is received."""
    s.sendall(message)
    got = take(s, len(answer))
    assert got == answer, (got, answer)


def ends(s):
    """Returns True if the connection ends or is reset without further bytes."""
    try:
        return s.recv(1 << 20) == b""
    except ConnectionResetError:
        return True


# A reset may come before connect() returns.
def is_sent_away(port, source=None):
    try:
        return ends(connect(port, source))
    except ConnectionResetError:
        return True


def refusal_of(s):
    """Returns the reply to a call that did not reach the JVM.  The proxy keeps the
    connection for another call, so this closes the sending direction."""
    s.shutdown(socket.SHUT_WR)
    return rest_of(s)


def rest_of(s):
    got = b""
    try:
        while piece := s.recv(1 << 20):
            got += piece
    except ConnectionResetError:
        pass
    return got


def works(port):
    """Performs a lookup, a login and a call through the proxy on this machine."""
    s = greeted(port)
    ask(s, LOOKUP, returned(server_stub(b"127.0.0.1", port)))
    ask(s, LOGIN, returned(session_stub(b"127.0.0.1", port)))
    ask(s, DOMAIN, returned(string(b"a value")))
    s.close()


def is_served(port):
    """Returns True as soon as a client is served, which a busy machine delays."""
    def once():
        try:
            works(port)
            return True
        except (OSError, EOFError):
            return False
    return until(once)


def descriptors(pid):
    """Returns the number of open descriptors, except inherited ones (from 100)."""
    return sum(int(fd) < 100 for fd in os.listdir("/proc/%s/fd" % pid))


def settled(pid):
    """Returns the same when it no longer changes."""
    while True:
        count = descriptors(pid)
        time.sleep(0.3)
        if descriptors(pid) == count:
            return count


def resident_kib(pid):
    with open("/proc/%s/status" % pid) as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])


def until(condition, seconds=120):
    """Waits until the condition is true; False after the time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False
