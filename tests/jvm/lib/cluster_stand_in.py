#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A fake API server of a cluster, for `kubectl port-forward` and `kubectl debug`.

	cluster_stand_in.py FOLDER

FOLDER/NAMESPACE/POD contains the PID of a process in the pod's network.  A file
FOLDER/drop ends all forwards that are older than the file.  The server writes a
kubeconfig to FOLDER/config, and the patch with an ephemeral container to
FOLDER/debugger.  Ports are forwarded by SPDY/3.1 (draft-mbelshe-httpbis-spdy-00,
version 3.1), which kubectl uses if the server rejects WebSockets.
"""
import asyncio, ctypes, json, os, signal, socket, struct, sys, time, zlib

signal.alarm(1800)
folder = sys.argv[1]

# The dictionary of section 2.6.10.1: names with their lengths, and text.
NAMES = """options head post put delete trace accept accept-charset
accept-encoding accept-language accept-ranges age allow authorization
cache-control connection content-base content-encoding content-language
content-length content-location content-md5 content-range content-type date
etag expect expires from host if-match if-modified-since if-none-match if-range
if-unmodified-since last-modified location max-forwards pragma
proxy-authenticate proxy-authorization range referer retry-after server te
trailer transfer-encoding upgrade user-agent vary via warning www-authenticate
method get status 200_OK version HTTP/1.1 url public set-cookie keep-alive
origin"""
TEXT = (
    "100101201202205206300302303304305306307402405406407408409410411412413"
    "414415416417502504505203 Non-Authoritative Information204 No Content301 "
    "Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not "
    "Found500 Internal Server Error501 Not Implemented503 Service Unavailable"
    "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, "
    "Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,"
    "application/xml,application/xhtml+xml,text/plain,text/javascript,public"
    "privatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,"
    "enq=0.")
DICTIONARY = b""
for name in NAMES.split():
    name = name.replace("_", " ").encode()
    DICTIONARY += struct.pack(">I", len(name)) + name
DICTIONARY += TEXT.encode()
if zlib.adler32(DICTIONARY) != 0xE3C6A7C2:
    sys.exit("not the dictionary of SPDY/3")

SYN_STREAM, SYN_REPLY, RST_STREAM, PING, GOAWAY = 1, 2, 3, 6, 7
FIN = 1
libc = ctypes.CDLL(None, use_errno=True)
here = open("/proc/self/ns/net")
forwards = set()


def connected(holder, port):
    """Connects to the pod's loopback.  A socket keeps its network namespace."""
    with open(f"/proc/{holder}/ns/net") as network:
        if libc.setns(network.fileno(), 0x40000000):
            raise OSError(ctypes.get_errno(), "setns")
    try:
        s = socket.socket()
    finally:
        libc.setns(here.fileno(), 0x40000000)
    s.settimeout(60)
    s.connect(("127.0.0.1", port))
    return s


class Forward:
    """The connection of one kubectl, with an error and a data stream for each of its
    forwarded connections."""

    def __init__(self, holder, reader, writer):
        self.holder, self.reader, self.writer = holder, reader, writer
        self.inflate = zlib.decompressobj(zdict=DICTIONARY)
        self.deflate = zlib.compressobj()
        self.errors, self.data = {}, {}
        self.began = time.time()

    def is_dropped(self):
        try:
            return os.stat(folder + "/drop").st_mtime > self.began
        except OSError:
            return False

    def control(self, kind, body, flags=0):
        self.writer.write(struct.pack(
            ">HHI", 0x8003, kind, flags << 24 | len(body)) + body)

    def send(self, stream, data, flags=0):
        self.writer.write(struct.pack(
            ">II", stream, flags << 24 | len(data)) + data)

    def headers(self, block):
        raw = self.inflate.decompress(block)
        (count,), at, found = struct.unpack_from(">I", raw), 4, {}
        for _ in range(count):
            pair = []
            for _ in range(2):
                (size,) = struct.unpack_from(">I", raw, at)
                pair.append(raw[at + 4:at + 4 + size].decode())
                at += 4 + size
            found[pair[0]] = pair[1]
        return found

    async def open(self, stream, headers):
        self.control(SYN_REPLY, struct.pack(">I", stream) +
                     self.deflate.compress(bytes(4)) +
                     self.deflate.flush(zlib.Z_SYNC_FLUSH))
        request, port = headers["requestid"], int(headers["port"])
        if headers["streamtype"] == "error":
            self.errors[request] = stream
            return
        error = self.errors.pop(request)
        try:
            s = connected(self.holder, port)
            s.setblocking(False)
            far, near = await asyncio.open_connection(sock=s)
        except OSError as e:
            self.send(error, f"failed to connect to localhost:{port} inside "
                      f"namespace: {e}".encode(), FIN)
            self.send(stream, b"", FIN)
            return
        self.data[stream] = near
        asyncio.ensure_future(self.back(stream, error, far))

    async def back(self, stream, error, far):
        try:
            while data := await far.read(65536):
                self.send(stream, data)
                await self.writer.drain()
        except OSError:
            pass
        self.send(error, b"", FIN)
        self.send(stream, b"", FIN)

    async def frame(self):
        first, second = struct.unpack(
            ">II", await self.reader.readexactly(8))
        flags, body = second >> 24, await self.reader.readexactly(
            second & 0xFFFFFF)
        if first < 1 << 31:
            near = self.data.get(first)
            if near and body:
                near.write(body)
            if near and flags & FIN:
                near.write_eof()
        elif first & 0xFFFF == SYN_STREAM:
            (stream,) = struct.unpack_from(">I", body)
            await self.open(stream, self.headers(body[10:]))
        elif first & 0xFFFF == RST_STREAM:
            (stream,) = struct.unpack_from(">I", body)
            if stream in self.data:
                self.data.pop(stream).close()
        elif first & 0xFFFF == PING:
            self.control(PING, body)

    async def run(self):
        forwards.add(self)
        try:
            while True:
                await self.frame()
        except (asyncio.IncompleteReadError, OSError):
            pass
        forwards.discard(self)
        for near in self.data.values():
            near.close()
        self.writer.close()


def holder_of(namespace, pod):
    try:
        with open(f"{folder}/{namespace}/{pod}") as entry:
            return int(entry.read())
    except OSError:
        return None


def answer(path):
    """Returns the status and object of kubectl's requests before the forward."""
    parts = path.split("?")[0].strip("/").split("/")
    if parts == ["version"]:
        return 200, {"major": "1", "minor": "32", "gitVersion": "v1.32.0"}
    if parts == ["api"]:
        return 200, {"kind": "APIVersions", "versions": ["v1"]}
    if parts == ["apis"]:
        return 200, {"kind": "APIGroupList", "apiVersion": "v1", "groups": []}
    if parts == ["api", "v1"]:
        return 200, {"kind": "APIResourceList", "groupVersion": "v1",
                     "resources": [{"name": "pods", "singularName": "pod",
                                    "namespaced": True, "kind": "Pod",
                                    "verbs": ["get"]}]}
    if len(parts) == 6 and parts[4] == "pods":
        namespace, pod = parts[3], parts[5]
        if holder_of(namespace, pod):
            return 200, {"kind": "Pod", "apiVersion": "v1",
                         "metadata": {"name": pod, "namespace": namespace},
                         "spec": {"containers": [{"name": "jvm"}]},
                         "status": {"phase": "Running"}}
        return 404, {"kind": "Status", "apiVersion": "v1", "code": 404,
                     "status": "Failure", "reason": "NotFound",
                     "message": f'pods "{pod}" not found'}
    return 404, {"kind": "Status", "apiVersion": "v1", "status": "Failure",
                 "reason": "NotFound", "code": 404, "message": path}


async def serve(reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            method, path, _ = head.split("\r\n")[0].split(" ")
            low = head.lower()
            if "\r\nupgrade: spdy/3.1\r\n" in low:
                parts = path.split("?")[0].split("/")
                writer.write(
                    b"HTTP/1.1 101 Switching Protocols\r\n"
                    b"Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
                    b"X-Stream-Protocol-Version: portforward.k8s.io\r\n\r\n")
                holder = holder_of(parts[4], parts[6])
                await Forward(holder, reader, writer).run()
                return
            if method == "PATCH" and "/ephemeralcontainers" in path:
                size = int(low.split("\r\ncontent-length:")[1].split()[0])
                patch = json.loads(await reader.readexactly(size))
                with open(folder + "/debugger", "w") as debugger:
                    json.dump(patch, debugger)
                path = path.replace("/ephemeralcontainers", "")
            status, value = (400, {}) if "\r\nupgrade:" in low else answer(
                path)
            body = json.dumps(value).encode()
            writer.write(f"HTTP/1.1 {status} x\r\nContent-Type: "
                         f"application/json\r\nContent-Length: {len(body)}"
                         "\r\n\r\n".encode() + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, OSError):
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with open(folder + "/config.new", "w") as config:
        json.dump({"apiVersion": "v1", "kind": "Config",
                   "current-context": "c",
                   "clusters": [{"name": "c", "cluster": {
                       "server": f"http://127.0.0.1:{port}"}}],
                   "contexts": [{"name": "c", "context": {
                       "cluster": "c", "user": "u"}}],
                   "users": [{"name": "u", "user": {}}]}, config)
    os.rename(folder + "/config.new", folder + "/config")
    while True:
        await asyncio.sleep(0.05)
        for forward in list(forwards):
            if forward.is_dropped() or not os.path.exists(
                    f"/proc/{forward.holder}"):
                forward.writer.close()


asyncio.run(main())
