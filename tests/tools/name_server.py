#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A name server for tests, on port 53 of 127.0.0.1.

    name_server.py NAME ADDRESS

NAME has this IPv6 address alone; other names do not exist.  Prints READY.
"""
import socket
import sys

AAAA, NO_SUCH_NAME, RESPONSE = 28, 3, 0x8180


def respond(query, name, address):
    """Returns the response to a query of one question (RFC 1035, 4.1)."""
    end = query.index(b"\0", 12) + 5
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode("ascii"))
        at += 1 + query[at]
    is_known = ".".join(labels).lower() == name
    kind = int.from_bytes(query[end - 4:end - 2], "big")
    answers = int(is_known and kind == AAAA)
    status = RESPONSE | (0 if is_known else NO_SUCH_NAME)
    head = query[:2] + b"".join(
        number.to_bytes(2, "big") for number in (status, 1, answers, 0, 0))
    answer = (b"\xc0\x0c" + AAAA.to_bytes(2, "big") + b"\0\1" + (1).to_bytes(4, "big") +
              (16).to_bytes(2, "big") + socket.inet_pton(socket.AF_INET6, address))
    return head + query[12:end] + answer * answers


server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
print("READY", flush=True)
while True:
    packet, client = server.recvfrom(512)
    server.sendto(respond(packet, *sys.argv[1:3]), client)
