#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A receiver of OpenTelemetry profiles over gRPC, for tests.

    otlp_grpc_engine.py DIRECTORY [--unix PATH] [--cert FILE --key FILE]
                        [--without-profiles]

As otlp_engine.py, but its only words in DIRECTORY/answer are the names of gRPC's
statuses: UNAVAILABLE, INVALID_ARGUMENT.  --without-profiles serves no profiles, as a
Collector without its feature gate.  Exits with 77 without python3-grpcio.
"""
import argparse
import os
import sys
import time
from concurrent import futures

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import otlp_check  # noqa: E402

try:
    import grpc
except ImportError:
    print("python3-grpcio is not installed")
    sys.exit(77)

EXPORT = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
parser = argparse.ArgumentParser()
parser.add_argument("directory")
for option in ("--unix", "--cert", "--key"):
    parser.add_argument(option)
parser.add_argument("--without-profiles", action="store_true")
arguments = parser.parse_args()
directory = arguments.directory
requests = []


def write(name, text):
    path = os.path.join(directory, name)
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def export(body, context):
    path = os.path.join(directory, "answer")
    words = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            words = file.read().split()
        write("answer", " ".join(words[1:]))
    metadata = dict(context.invocation_metadata())
    word = words[0] if words else "OK"
    with open(os.path.join(directory, "log"), "a", encoding="utf-8") as log:
        log.write(f"{metadata.get('x-tenant')} {word}\n")
    if word != "OK":
        context.abort(grpc.StatusCode[word], "busy")
    requests.append(body)
    try:
        lines = otlp_check.check(body)
        write(f"{len(requests)}.txt", "".join(line + "\n" for line in lines))
    except (ValueError, KeyError, IndexError) as error:
        write(f"{len(requests)}.bad", f"{error}\n")
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
    return b"\x0a\x00"


class Handler(grpc.GenericRpcHandler):
    def service(self, handler_call_details):
        if handler_call_details.method != EXPORT or arguments.without_profiles:
            return None
        return grpc.unary_unary_rpc_method_handler(export)


server = grpc.server(futures.ThreadPoolExecutor(2))
server.add_generic_rpc_handlers((Handler(),))
address = f"unix:{arguments.unix}" if arguments.unix else "127.0.0.1:0"
if arguments.cert:
    with open(arguments.key, "rb") as key, open(arguments.cert, "rb") as cert:
        credentials = grpc.ssl_server_credentials([(key.read(), cert.read())])
    write("port", f"{server.add_secure_port(address, credentials)}\n")
else:
    write("port", f"{server.add_insecure_port(address)}\n")
server.start()
while True:
    time.sleep(3600)
