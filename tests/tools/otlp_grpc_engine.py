#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A receiver of OpenTelemetry profiles over gRPC, for tests.

    otlp_grpc_engine.py DIRECTORY [--unix PATH] [--cert FILE --key FILE]
                        [--without-profiles] [--parca] [--port NUMBER]

As otlp_engine.py, but its only words in DIRECTORY/answer are the names of gRPC's
statuses: UNAVAILABLE, INVALID_ARGUMENT.  DIRECTORY/asked exists after a request to Parca.  --without-profiles serves no profiles, as a
Collector without its feature gate.  --parca serves Parca's WriteRaw, and OTLP, too,
whose names Parca 0.28 confuses: such a request is accepted, but bad.  Exits with 77 without
python3-grpcio.
"""
import argparse
import os
import sys
import time
from concurrent import futures

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import otlp_check  # noqa: E402
import pprof_check  # noqa: E402

try:
    import grpc
except ImportError:
    print("python3-grpcio is not installed")
    sys.exit(77)

WRITE_RAW = "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw"
EXPORT = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
parser = argparse.ArgumentParser()
parser.add_argument("directory")
for option in ("--unix", "--cert", "--key"):
    parser.add_argument(option)
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--without-profiles", action="store_true")
parser.add_argument("--parca", action="store_true")
arguments = parser.parse_args()
directory = arguments.directory
# Names of files go on after a restart.
requests = [None] * sum(name.endswith((".txt", ".bad")) for name in os.listdir(directory))


def write(name, text):
    path = os.path.join(directory, name)
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def write_raw(body, context):
    # sjkc asks so whether this is Parca.
    if body:
        take(body, context, pprof_check.check_series)
    return b""


def export(body, context):
    take(body, context, None if arguments.parca else otlp_check.check)
    return b"\x0a\x00"


def take(body, context, check):
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
    if not check:
        write(f"{len(requests)}.bad", "OTLP to Parca\n")
        return
    try:
        lines = check(body)
        write(f"{len(requests)}.txt", "".join(line + "\n" for line in lines))
    except (ValueError, KeyError, IndexError) as error:
        write(f"{len(requests)}.bad", f"{error}\n")
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))


class Handler(grpc.GenericRpcHandler):
    def service(self, handler_call_details):
        method = handler_call_details.method
        if method == WRITE_RAW:
            write("asked", "")
        if method == WRITE_RAW and arguments.parca:
            return grpc.unary_unary_rpc_method_handler(write_raw)
        if method != EXPORT or arguments.without_profiles:
            return None
        return grpc.unary_unary_rpc_method_handler(export)


server = grpc.server(futures.ThreadPoolExecutor(2))
server.add_generic_rpc_handlers((Handler(),))
address = f"unix:{arguments.unix}" if arguments.unix else f"127.0.0.1:{arguments.port}"
if arguments.cert:
    with open(arguments.key, "rb") as key, open(arguments.cert, "rb") as cert:
        credentials = grpc.ssl_server_credentials([(key.read(), cert.read())])
    write("port", f"{server.add_secure_port(address, credentials)}\n")
else:
    write("port", f"{server.add_insecure_port(address)}\n")
server.start()
while True:
    time.sleep(3600)
