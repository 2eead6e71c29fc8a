#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Relays HTTP requests to the Collector, unchanged, and stores their bodies.

    relay.py DIRECTORY PORT

Writes its own port to DIRECTORY/port and each body that the Collector accepts to
DIRECTORY/N.sent, N = 1, 2, …  The word in DIRECTORY/damage changes requests:

    cut     half of the body
    type    another Content-Type

DIRECTORY/log has a line for each request: path, status and body of the response.
"""
import gzip
import http.client
import http.server
import os
import sys

directory, port = sys.argv[1], int(sys.argv[2])
count = 0


class Relay(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        global count
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {key: value for key, value in self.headers.items()
                   if key.lower() not in ("host", "content-length")}
        sent = body
        try:
            with open(os.path.join(directory, "damage"), encoding="utf-8") as file:
                damage = file.read().strip()
        except OSError:
            damage = ""
        if damage == "cut":
            plain = gzip.decompress(body)
            sent = gzip.compress(plain[:len(plain) // 2])
        elif damage == "type":
            headers["Content-Type"] = "application/protobuf"
        engine = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        engine.request("POST", self.path, sent, headers)
        response = engine.getresponse()
        reply = response.read()
        if response.status == 200:
            count += 1
            with open(os.path.join(directory, f"{count}.sent"), "wb") as file:
                file.write(body)
        with open(os.path.join(directory, "log"), "a", encoding="utf-8") as log:
            log.write(f"{self.path} {response.status} {reply}\n")
        self.send_response(response.status)
        self.send_header("Content-Type", response.getheader("Content-Type", ""))
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)


server = http.server.HTTPServer(("127.0.0.1", 0), Relay)
with open(os.path.join(directory, "port.new"), "w", encoding="utf-8") as file:
    file.write(f"{server.server_address[1]}\n")
os.replace(os.path.join(directory, "port.new"), os.path.join(directory, "port"))
server.serve_forever()
