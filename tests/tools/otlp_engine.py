#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A receiver of OpenTelemetry profiles for tests, over HTTP.

    otlp_engine.py DIRECTORY [PORT] [--host ADDRESS] [--unix PATH]
                   [--cert FILE --key FILE] [--client-ca FILE] [--token TEXT]
                   [--raw]

It also takes pprof profiles at /ingest, as Pyroscope does (pprof_check.py).  With
--token, requests need the header "Authorization: Bearer TEXT", or "Authorization: TEXT"
if TEXT has a space.  --raw keeps the decompressed requests in DIRECTORY/N.pb.  A request
with a whole URL is one to a proxy, and is served, too.

Writes its port to DIRECTORY/port.  Checks each request as otlp_check.py does and
writes its text to DIRECTORY/N.txt, N = 1, 2, …; a request that breaks a rule is
answered with 400 and its text is DIRECTORY/N.bad.  Before that, it looks for
DIRECTORY/answer and follows its words:

    503 [SECONDS]   that status, with Retry-After; also 400, 429, 500, …
    503 date        that status, and the next second in Retry-After
    starting STATUS that status, with the text of Pyroscope 2.0.6 while it starts
    limited STATUS  stores the first resource alone, then that status, with the text of
                    Pyroscope 2.0.6 at a tenant's limit: it stores each series on its own
    partial         accepts the request, but says that it rejected a profile
    page [STATUS]   responds with 200, or this status, and a page of HTML, as a
                    login page or a gateway does
    redirect        responds with 308 and another URL
    old             accepts the request, and responds by HTTP/1.0
    chunks          accepts the request, and responds by 100 and by 200 in chunks
    cut             accepts the request, and closes the connection in the body of 200
    reset           closes the connection without a response
    hang            responds after 30 s
    wrong           responds with something that is not HTTP
    flood           responds with 503 and a body of up to 4 GB, and writes the
                    number of bytes sent to DIRECTORY/flooded

A line of DIRECTORY/answer that begins with a number is used so many times:
"3 503 1".  DIRECTORY/log has a line for each request: its headers that matter, and
the word or status; DIRECTORY/times has the start of each stored request, in ns, and DIRECTORY/bytes
its compressed length.
"""
import argparse
import gzip
import http.server
import os
import signal
import socket
import socketserver
import ssl
import struct
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import otlp_check  # noqa: E402
import pprof_check  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("directory")
parser.add_argument("port", nargs="?", type=int, default=0)
parser.add_argument("--host", default="127.0.0.1")
for option in ("--unix", "--cert", "--key", "--client-ca", "--token"):
    parser.add_argument(option)
parser.add_argument("--raw", action="store_true")
arguments = parser.parse_args()
directory = arguments.directory
count = 0


def next_answer():
    """Takes the next word; a file without words is removed."""
    path = os.path.join(directory, "answer")
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    if not lines:
        return []
    words = lines[0].split()
    times = 1
    if len(words) > 1 and words[0].isdigit() and len(words[0]) < 3:
        times = int(words.pop(0))
    rest = lines[1:] if times == 1 else [f"{times - 1} {' '.join(words)}"] + lines[1:]
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in rest))
    os.replace(path + ".new", path)
    return words


# Held from the storing of a request to its response, which would be lost between.
answering = threading.Lock()


def end(*_):
    answering.acquire(timeout=10)
    os._exit(0)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def note(self, what):
        with open(os.path.join(directory, "log"), "a", encoding="utf-8") as log:
            log.write(f"{self.path.split('?')[0]} "
                      f"{self.headers.get('Content-Type')} "
                      f"{self.headers.get('Content-Encoding')} "
                      f"tenant={self.headers.get('X-Tenant')} {what}\n")

    def respond(self, status, body=b"", after=None, kind="application/x-protobuf"):
        self.send_response(status)
        if after:
            self.send_header("Retry-After", after)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.note(status)

    def store(self, body, only_first=False):
        """Checks and stores a request; returns the reason to refuse it, or None."""
        global count
        count += 1
        try:
            plain = gzip.decompress(body)
            if arguments.raw:
                with open(os.path.join(directory, f"{count}.pb"), "wb") as raw:
                    raw.write(plain)
            if self.path.startswith("/ingest"):
                lines, start = pprof_check.check_request(self.path, plain)
            else:
                lines = otlp_check.check(plain)
                start = 0
                for part in otlp_check.decode(plain, "Request")["resource_profiles"][:1]:
                    for scope in part["scope_profiles"][:1]:
                        start = scope["profiles"][0].get("time", 0)
            if start:
                with open(os.path.join(directory, "times"), "a",
                          encoding="utf-8") as times:
                    times.write(f"{start}\n")
            with open(os.path.join(directory, "bytes"), "a",
                      encoding="utf-8") as lengths:
                lengths.write(f"{len(body)}\n")
            name = f"{count}.txt"
        except (ValueError, KeyError, IndexError, OSError) as error:
            lines = [f"{type(error).__name__}: {error}"]
            name = f"{count}.bad"
        starts = [at for at, line in enumerate(lines) if line.startswith("resource ")]
        if only_first and len(starts) > 1:
            lines = lines[:starts[1]]
        path = os.path.join(directory, name)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
        os.replace(path + ".new", path)
        return lines[0] if name.endswith(".bad") else None

    def flood(self):
        self.send_response(503)
        self.send_header("Content-Length", str(4 << 30))
        self.end_headers()
        sent = 0
        try:
            while sent < 4 << 30:
                self.wfile.write(bytes(1 << 16))
                sent += 1 << 16
        except OSError:
            pass
        self.close_connection = True
        with open(os.path.join(directory, "flooded"), "w",
                  encoding="utf-8") as file:
            file.write(f"{sent}\n")

    def redirect(self):
        self.note("308")
        self.send_response(308)
        self.send_header("Location", "https://login.test/profiles?token=secret")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def accept_otherwise(self, word):
        self.note(word)
        kind = b"Content-Type: application/x-protobuf\r\n"
        if word == "old":
            self.wfile.write(b"HTTP/1.0 200 OK\r\n" + kind + b"\r\n\n\0")
            self.close_connection = True
            return
        if word == "cut":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n" + kind +
                             b"Content-Length: 20\r\n\r\n\n")
            self.close_connection = True
            return
        for part in (b"HTTP/1.1 100 Continue\r\n\r\n",
                     b"HTTP/1.1 200 OK\r\n" + kind +
                     b"Transfer-Encoding: chunked\r\n\r\n",
                     b"1\r\n\n\r\n", b"1\r\n\0\r\n", b"0\r\n\r\n"):
            self.wfile.write(part)

    def do_CONNECT(self):
        self.note("tunnel")
        self.send_response(403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        words = next_answer()
        word = words[0] if words else ""
        url = urllib.parse.urlsplit(self.path)
        if url.scheme:
            self.note("proxied")
            self.path = urllib.parse.urlunsplit(("", "") + url[2:])
        token = arguments.token or ""
        token = token if " " in token else f"Bearer {token}"
        if arguments.token and self.headers.get("Authorization") != token:
            self.respond(401, b"no valid token")
        elif url.path not in ("/v1development/profiles", "/ingest"):
            self.respond(404, b"404 page not found\n")
        elif word == "reset":
            self.note(word)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                       struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
        elif word == "hang":
            self.note(word)
            time.sleep(30)
        elif word == "wrong":
            self.note(word)
            self.wfile.write(b"hello\r\n\r\n")
            self.close_connection = True
        elif word == "flood":
            self.note(word)
            self.flood()
        elif word.isdigit():
            after = words[1] if len(words) > 1 else None
            if after == "date":
                after = self.date_time_string(int(time.time()) + 1)
            # google.rpc.Status: 1 = code, 2 = message
            self.respond(int(word), b"\x08\x0e\x12\x04busy", after)
        elif word == "starting":
            self.respond(int(words[1]), b"rpc error: code = Unavailable desc = "
                         b"service is unavailable", kind="text/plain")
        elif word == "limited":
            self.store(body, only_first=True)
            self.respond(int(words[1]), b"resource_exhausted: push rate limit (2.0 KiB) "
                         b"exceeded while adding 3.0 KiB", kind="text/plain")
        elif word == "page":
            self.respond(int(words[1]) if len(words) > 1 else 200,
                         b"<html>\n<p>a page</p>\n", kind="text/html; charset=utf-8")
        elif word == "redirect":
            self.redirect()
        else:
            with answering:
                self.accept(body, word)

    def accept(self, body, word):
        if (why := self.store(body)) is not None:
            self.respond(400, b"\x08\x03\x12" + bytes([min(len(why), 100)]) +
                         why.encode()[:100])
        elif word in ("old", "chunks", "cut"):
            self.accept_otherwise(word)
        elif word == "partial":
            self.respond(200, b"\x0a\x0f\x08\x01\x12\x0bbad profile")
        else:
            self.respond(200, b"\x0a\x00")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


class UnixServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def get_request(self):
        return self.socket.accept()[0], ("unix", 0)


def encrypt(listener):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(arguments.cert, arguments.key)
    if arguments.client_ca:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(arguments.client_ca)
    # The thread of a connection makes its handshake.
    listener.socket = context.wrap_socket(listener.socket, server_side=True,
                                          do_handshake_on_connect=False)


if arguments.unix:
    server = UnixServer(arguments.unix, Handler)
else:
    if ":" in arguments.host:
        Server.address_family = socket.AF_INET6
    server = Server((arguments.host, arguments.port), Handler)
if arguments.cert:
    encrypt(server)
for old in os.listdir(directory):
    if old.split(".")[0].isdigit():
        count = max(count, int(old.split(".")[0]))
with open(os.path.join(directory, "port.new"), "w", encoding="utf-8") as port_file:
    port_file.write(f"{0 if arguments.unix else server.server_address[1]}\n")
os.replace(os.path.join(directory, "port.new"), os.path.join(directory, "port"))
signal.signal(signal.SIGTERM, end)
server.serve_forever()
