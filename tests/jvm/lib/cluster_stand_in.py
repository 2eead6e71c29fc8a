#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a cluster's API server, for kubectl get, port-forward and debug, and
for requests to a pod's port.

	cluster_stand_in.py FOLDER

Files of FOLDER are the objects; each request reads them again:

	NAMESPACE/POD		"PID [JSON]": a process in the pod's network.  The JSON
				has "labels", "ports" by name, "phase" (default:
				Running), "ready" (default: true) and "deleting".
	NAMESPACE/KIND/NAME	the JSON of an object's spec; KIND is services,
				deployments, replicasets or statefulsets
	drop			forwards that are older than the file end
	requests		the server appends each request to it

The server writes a kubeconfig with the context "c" to FOLDER/config, and the
patch with an ephemeral container to FOLDER/debugger.  Another process is
another pod: its uid is the PID.  When the process has ended, the server
behaves as kubelet and containerd 1.6 do: the forward stays, and the next
connection fails.

Ports are forwarded by SPDY/3.1 (draft-mbelshe-httpbis-spdy-00, version 3.1),
as kubectl before 1.31 does, or by SPDY in the messages of a WebSocket (RFC
6455), as later ones do.
"""
import asyncio, base64, ctypes, hashlib, json, os, re, signal, socket, struct
import sys, time, urllib.parse, zlib

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


def refusal(holder, port, error):
    """The error of containerd 1.6 through kubelet 1.34."""
    sandbox = hashlib.sha256(str(holder).encode()).hexdigest()
    network = f"/var/run/netns/cni-{sandbox[:8]}-{sandbox[8:12]}"
    why = (f'failed to connect to localhost:{port} inside namespace "{sandbox}", '
           f"IPv4: dial tcp4 127.0.0.1:{port}: connect: connection refused "
           f"IPv6 dial tcp6 [::1]:{port}: connect: connection refused ")
    if not os.path.exists(f"/proc/{holder}"):
        why = f'network namespace for sandbox "{sandbox}" is closed'
    elif not isinstance(error, ConnectionRefusedError):
        why = str(error)
    return (f"error forwarding port {port} to pod {sandbox}, uid : failed to "
            f'execute portforward in network namespace "{network}": {why}')


class WebSocket:
    """The bytes in the messages of a WebSocket, as a reader and a writer."""

    def __init__(self, reader, writer):
        self.reader, self.writer, self.bytes = reader, writer, b""

    async def message(self):
        head = await self.reader.readexactly(2)
        kind, size = head[0] & 15, head[1] & 127
        if size > 125:
            more = await self.reader.readexactly(2 if size == 126 else 8)
            size = int.from_bytes(more, "big")
        mask = await self.reader.readexactly(4) if head[1] & 128 else bytes(4)
        data = await self.reader.readexactly(size)
        data = bytes(a ^ mask[i & 3] for i, a in enumerate(data))
        if kind == 8:
            raise asyncio.IncompleteReadError(b"", 1)
        if kind == 9:
            self.frame(10, data)
        elif kind < 3:
            self.bytes += data

    async def readexactly(self, count):
        while len(self.bytes) < count:
            await self.message()
        found, self.bytes = self.bytes[:count], self.bytes[count:]
        return found

    def frame(self, kind, data):
        size = len(data)
        head = struct.pack(">BB", 128 | kind, size) if size < 126 else \
            struct.pack(">BBH", 128 | kind, 126, size) if size < 65536 else \
            struct.pack(">BBQ", 128 | kind, 127, size)
        self.writer.write(head + data)

    def write(self, data):
        self.frame(2, data)

    async def drain(self):
        await self.writer.drain()

    def close(self):
        self.writer.close()


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
            self.send(error, refusal(self.holder, port, e).encode(), FIN)
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
                try:
                    near.write_eof()
                except OSError:
                    pass  # the JVM reset this connection; others stay
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


def read_pod(namespace, name):
    """Returns the PID and the description of a pod, or None."""
    try:
        with open(f"{folder}/{namespace}/{name}") as entry:
            pid, _, rest = entry.read().strip().partition(" ")
    except OSError:
        return None
    return int(pid), json.loads(rest or "{}")


def holder_of(namespace, name):
    found = read_pod(namespace, name)
    return found and found[0]


def pod(namespace, name):
    found = read_pod(namespace, name)
    if not found:
        return None
    pid, about = found
    metadata = {"name": name, "namespace": namespace, "uid": f"uid-{pid}",
                "labels": about.get("labels", {})}
    if about.get("deleting"):
        metadata["deletionTimestamp"] = "2026-11-28T10:00:00Z"
    ready = about.get("ready", True)
    return {"kind": "Pod", "apiVersion": "v1", "metadata": metadata,
            "spec": {"containers": [{"name": "jvm", "ports": [
                {"name": n, "containerPort": p}
                for n, p in about.get("ports", {}).items()] +
                [{"containerPort": 8080}]}]},
            "status": {"phase": about.get("phase", "Running"), "conditions": [
                {"type": "PodScheduled", "status": "True"},
                {"type": "Ready", "status": "True" if ready else "False",
                 "lastTransitionTime": time.strftime(
                     "%Y-%m-%dT%H:%M:%SZ", time.gmtime(os.stat(
                         f"{folder}/{namespace}/{name}").st_mtime))}]}}


def selected(labels, selector):
    """True if the labels fulfil each requirement of a selector."""
    for part in re.findall(r"[^,(]+(?:\([^)]*\))?", selector):
        is_set = re.fullmatch(r"\s*(\S+) (in|notin) \(([^)]*)\)", part)
        key, equals, value = part.strip().partition("=")
        if is_set:
            key, how, values = is_set.groups()
            if (labels.get(key) in values.split(",")) != (how == "in"):
                return False
        elif equals:
            if labels.get(key) != value.lstrip("="):
                return False
        elif (key.lstrip("!") in labels) == key.startswith("!"):
            return False
    return True


def pods(namespace, query):
    selector = urllib.parse.parse_qs(query).get("labelSelector", [""])[0]
    names = [n for n in sorted(os.listdir(f"{folder}/{namespace}"))
             if os.path.isfile(f"{folder}/{namespace}/{n}")]
    found = [pod(namespace, n) for n in names]
    return {"kind": "PodList", "apiVersion": "v1", "metadata": {},
            "items": [p for p in found
                      if p and selected(p["metadata"]["labels"], selector)]}


KINDS = {"pods": ("Pod", "po"), "services": ("Service", "svc"),
         "deployments": ("Deployment", "deploy"),
         "replicasets": ("ReplicaSet", "rs"),
         "statefulsets": ("StatefulSet", "sts")}


def resources(version, kinds):
    return {"kind": "APIResourceList", "apiVersion": "v1",
            "groupVersion": version, "resources": [
                {"name": k, "singularName": KINDS[k][0].lower(),
                 "namespaced": True, "kind": KINDS[k][0],
                 "shortNames": [KINDS[k][1]], "verbs": ["get", "list"]}
                for k in kinds]}


def answer(path):
    """Returns the status and the object of a GET request."""
    path, _, query = path.partition("?")
    parts = path.strip("/").split("/")
    apps = {"groupVersion": "apps/v1", "version": "v1"}
    found = {
        "version": {"major": "1", "minor": "34", "gitVersion": "v1.34.0"},
        "api": {"kind": "APIVersions", "versions": ["v1"]},
        "apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": [
            {"name": "apps", "versions": [apps], "preferredVersion": apps}]},
        "api/v1": resources("v1", ["pods", "services"]),
        "apis/apps/v1": resources(
            "apps/v1", ["deployments", "replicasets", "statefulsets"]),
    }.get("/".join(parts))
    if found:
        return 200, found
    version = "apps/v1" if parts[0] == "apis" else "v1"
    parts = parts[2 + len(version.split("/")) - 1:]
    # kubectl get asks for the namespace of an object that it did not find.
    if len(parts) == 2 and os.path.isdir(f"{folder}/{parts[1]}"):
        return 200, {"kind": "Namespace", "apiVersion": "v1",
                     "metadata": {"name": parts[1]}}
    if len(parts) == 2:
        return failure(404, "NotFound", f'namespaces "{parts[1]}" not found')
    if len(parts) < 3 or parts[2] not in KINDS:
        return failure(404, "NotFound", path)
    _, namespace, kind, *name = parts
    if os.path.exists(f"{folder}/{namespace}/forbidden"):
        return failure(403, "Forbidden", f'{kind} "{"".join(name)}" is '
                       f'forbidden: User "ann" cannot get resource "{kind}" '
                       f'in API group "" in the namespace "{namespace}"')
    if kind == "pods" and not name:
        return 200, pods(namespace, query)
    found = name and kind == "pods" and pod(namespace, name[0])
    try:
        if name and not found:
            with open(f"{folder}/{namespace}/{kind}/{name[0]}") as spec:
                found = {"kind": KINDS[kind][0], "apiVersion": version,
                         "metadata": {"name": name[0], "namespace": namespace},
                         "spec": json.load(spec)}
    except OSError:
        pass
    if found:
        return 200, found
    group = ".apps" if version == "apps/v1" else ""
    return failure(404, "NotFound", f'{kind}{group} "{"".join(name)}" not found')


def failure(code, reason, message):
    return code, {"kind": "Status", "apiVersion": "v1", "code": code,
                  "status": "Failure", "reason": reason, "message": message}


async def pass_on(head, target, reader, writer):
    """Sends one request to a pod's port, as .../pods/POD:PORT/proxy/PATH does."""
    namespace, name, port, path = target.groups()
    size = re.search(r"\r\ncontent-length: *(\d+)", head, re.I)
    body = await reader.readexactly(int(size[1]) if size else 0)
    kept = [line for line in head.split("\r\n")[1:] if line and not re.match(
        "(authorization|connection):", line, re.I)]
    request = [f"{head.split()[0]} {path} HTTP/1.1", *kept,
               "Connection: close", "", ""]
    s = connected(holder_of(namespace, name), int(port))
    s.setblocking(False)
    far, near = await asyncio.open_connection(sock=s)
    near.write("\r\n".join(request).encode() + body)
    first = await far.readuntil(b"\r\n\r\n")
    writer.write(first[:-2] + b"Connection: close\r\n\r\n")
    while data := await far.read(65536):
        writer.write(data)
        await writer.drain()
    near.close()
    writer.close()


async def serve(reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            method, path, _ = head.split("\r\n")[0].split(" ")
            with open(folder + "/requests", "a") as requests:
                requests.write(f"{method} {path}\n")
            low = head.lower()
            parts = path.split("?")[0].split("/")
            if "\r\nupgrade: spdy/3.1\r\n" in low:
                writer.write(
                    b"HTTP/1.1 101 Switching Protocols\r\n"
                    b"Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
                    b"X-Stream-Protocol-Version: portforward.k8s.io\r\n\r\n")
                holder = holder_of(parts[4], parts[6])
                await Forward(holder, reader, writer).run()
                return
            target = re.fullmatch(r"/api/v1/namespaces/([^/]+)/pods/"
                                  r"([^/:]+):(\d+)/proxy(/.*)", path)
            if target:
                await pass_on(head, target, reader, writer)
                return
            key = re.search(r"\r\nsec-websocket-key: *(\S+)", head, re.I)
            if key:
                accept = base64.b64encode(hashlib.sha1(
                    key[1].encode() +
                    b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
                writer.write(
                    b"HTTP/1.1 101 Switching Protocols\r\n"
                    b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
                    b"Sec-WebSocket-Protocol: SPDY/3.1+portforward.k8s.io\r\n"
                    b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
                socket = WebSocket(reader, writer)
                holder = holder_of(parts[4], parts[6])
                await Forward(holder, socket, socket).run()
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
            if forward.is_dropped():
                forward.writer.close()


asyncio.run(main())
