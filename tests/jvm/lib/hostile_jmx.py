# SPDX-License-Identifier: Apache-2.0
"""A JMX server whose replies are wrong or endless.

	hostile_jmx.py MODE

It replies correctly until the client requests MBeans; MODE selects its replies to
such requests (see MODES).  Prints its port; exits after two minutes.
"""
import signal
import socket
import struct
import sys
import threading

METHODS = {
    0x44154dc9d4e63bdf: "lookup",
    0xf0e074eaad0caea8: "newClient",
    0x8fda2350c701988d: "getVersion",
    0xff0ebec77dc65363: "getConnectionId",
    0xbe2e5bc7809d0dcc: "close",
    0xf0e0500a394d7215: "getAttribute",
    0x5739d96a8b235c47: "getAttributes",
    0x7f0473acb73677da: "queryNames",
    0xe3a812879dc32ea5: "getMBeanCount",
    0x53eda2d82e1bdfa8: "getDefaultDomain",
    0x993cd0f9b9817af6: "getMBeanInfo",
}


def utf(text):
    return struct.pack(">H", len(text)) + text.encode()


def string(text):
    return b"\x74" + utf(text)


def desc(name, suid, flags, fields=b"\0\0", above=b"\x70"):
    return (b"\x72" + utf(name) + struct.pack(">Q", suid) + bytes([flags])
            + fields + b"\x70\x78" + above)


def integer(n):
    number = desc("java.lang.Number", 0x86ac951d0b94e08b, 2)
    return (b"\x73" + desc("java.lang.Integer", 0x12e2a0a4f7818738, 2,
                           b"\0\1I" + utf("value"), number)
            + struct.pack(">i", n))


def name(text):
    return (b"\x73" + desc("javax.management.ObjectName",
                           0x0f03a71beb6d15cf, 3) + string(text) + b"\x78")


def hash_set(*elements, count=None):
    head = struct.pack(">ifi", 16, 0.75,
                       len(elements) if count is None else count)
    return (b"\x73" + desc("java.util.HashSet", 0xba44859596b8b734, 3)
            + b"\x77\x0c" + head + b"".join(elements) + b"\x78")


def stub(which, port):
    remote = desc("java.rmi.server.RemoteStub", 0xe9fedcc98be1651a, 2,
                  above=desc("java.rmi.server.RemoteObject",
                             0xd361b4910c61331e, 3))
    ref = (utf("UnicastRef") + utf("127.0.0.1") + struct.pack(">i", port)
           + bytes(21) + b"\7" + b"\0")
    return (b"\x73" + desc("javax.management.remote.rmi." + which, 2, 2,
                           above=remote)
            + b"\x77" + bytes([len(ref)]) + ref + b"\x78")


def answer(value):
    return b"\x51\xac\xed\0\5\x77\x0f\1" + bytes(14) + value


# Replies of queryNames, getMBeanInfo and getAttributes.  An iterator is
# endless, None is silence, b"" closes the connection.
def endless_array():
    yield (b"\x75" + desc("[Ljava.lang.String;", 0xadd256e7e91d7b47, 2)
           + b"\x7f\xff\xff\xff")
    while True:
        yield (b"\x74" + utf("x" * 1000)) * 100


def endless_string():
    yield b"\x7c\x3f" + b"\xff" * 7
    while True:
        yield b"x" * 65536


def endless_depth():
    head = b"\x75" + desc("[Ljava.lang.Object;", 0x90ce589f1073296c, 2)
    yield head + b"\0\0\0\1"
    while True:
        # The class is the first handle of the stream.
        yield b"\x75\x71\0\x7e\0\0\0\0\0\1" * 1000


def trickle():
    yield b"\x7c\0\0\0\0\0\xff\xff\xff"
    while True:
        threading.Event().wait(0.2)
        yield b"x"


names = hash_set(name("a:b=c"), string("a:d=e"), b"\x70", integer(1),
                 name("\x1b[2J"))
MODES = {
    "query-integer": {"queryNames": integer(7)},
    "query-others": {"queryNames": names, "getMBeanInfo": string("x"),
                     "getAttributes": integer(1)},
    "query-lies": {"queryNames": hash_set(name("a:b=c"), count=2**31 - 1)},
    "query-endless": {"queryNames": endless_array},
    "query-string": {"queryNames": endless_string},
    "query-deep": {"queryNames": endless_depth},
    "query-slow": {"queryNames": trickle},
    "query-mute": {"queryNames": None},
    "query-close": {"queryNames": b""},
    "query-garbage": {"queryNames": b"\xff" * 100},
    "info-mute": {"queryNames": hash_set(name("a:b=c"), name("a:d=e")),
                  "getMBeanInfo": None},
    "info-endless": {"queryNames": hash_set(name("a:b=c")),
                     "getMBeanInfo": endless_array},
}
mode = MODES[sys.argv[1]]


def say(connection, method):
    usual = {
        "lookup": stub("RMIServerImpl_Stub", port),
        "newClient": stub("RMIConnectionImpl_Stub", port),
        "getVersion": string("1.0 java_runtime_0"),
        "getConnectionId": string("rmi://127.0.0.1  1"),
        "getDefaultDomain": string("d"),
        "getMBeanCount": integer(1),
    }
    what = mode.get(method, usual.get(method, b"\x70"))
    if what is None:
        return True
    if what == b"":
        return False
    if not callable(what):
        connection.sendall(answer(what))
        return True
    connection.sendall(answer(b""))
    for part in what():
        connection.sendall(part)
    return False


def serve(connection):
    head = b"\x50\xac\xed\0\5\x77"
    got = connection.recv(7)
    connection.sendall(b"\x4e" + utf("127.0.0.1") + struct.pack(">i", 1))
    got = b""
    while True:
        part = connection.recv(65536)
        if not part:
            return
        got += part
        while (at := got.find(head)) >= 0 and len(got) >= at + 41:
            method = struct.unpack(">Q", got[at + 33:at + 41])[0]
            got = got[at + 41:]
            if not say(connection, METHODS.get(method, "other")):
                connection.close()
                return


def run(connection):
    try:
        serve(connection)
    except OSError:
        pass


signal.alarm(600)
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
port = listener.getsockname()[1]
print(port, flush=True)
while True:
    threading.Thread(target=run, args=(listener.accept()[0],),
                     daemon=True).start()
