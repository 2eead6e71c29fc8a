#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a profiling backend's answers with what prof wrote beside them.

    backend_query.py parca HOST:PORT SERVICE FROM DIRECTORY…
    backend_query.py pyroscope HOST:PORT SERVICE FROM DIRECTORY… [--pprof] [--tenant NAME]
    backend_query.py … --twice SAMPLES/ALL
    backend_query.py … --now

The directories have the requests of `prof --push … -o DIRECTORY/` (*.otlp.gz, or
*.pb.gz with --pprof), which have the same samples as the backend.  For each type of profile, the weights by
leaf must equal what the backend's query API returns for this service since FROM (seconds
since the epoch).  Prints a line for each type.  --pprof: the requests went to /ingest.
--twice: the backend may have as many samples of ALL twice, as it stores a part of requests
that it refuses.  --now: asks the backend once.
"""
import argparse
import base64
import collections
import glob
import gzip
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import otlp_check  # noqa: E402
import pprof_check  # noqa: E402,F401

parser = argparse.ArgumentParser()
parser.add_argument("backend", choices=("parca", "pyroscope"))
parser.add_argument("address")
parser.add_argument("service")
parser.add_argument("since", type=int)
parser.add_argument("directories", nargs="+")
parser.add_argument("--pprof", action="store_true")
parser.add_argument("--twice", default="0/1")
parser.add_argument("--now", action="store_true")
parser.add_argument("--tenant")
arguments = parser.parse_args()

# The backend's types by those of OTLP; True: weights are samples times the period.
TYPES = {
    "parca": {
        "samples/count": ("process_cpu:cpu:nanoseconds:cpu:nanoseconds:delta", True),
        "off_cpu/nanoseconds":
            ("off_cpu:off_cpu:nanoseconds:off_cpu:nanoseconds:delta", False),
        "wall/nanoseconds": ("wall:wall:nanoseconds:wall:nanoseconds:delta", False),
        "alloc_space/bytes": ("memory:alloc_space:bytes:space:bytes:delta", False),
        "delay/nanoseconds": ("mutex:delay:nanoseconds:contentions:count:delta", False),
        "gc/nanoseconds": ("gc:gc:nanoseconds:gc:count:delta", False)},
    "pyroscope": {
        "samples/count": ("process_cpu:cpu:nanoseconds:cpu:nanoseconds", True),
        "off_cpu/nanoseconds": ("off_cpu:off_cpu:nanoseconds::", False),
        "wall/nanoseconds": ("wall:wall:nanoseconds:wall:nanoseconds", False),
        "alloc_space/bytes": ("memory:alloc_space:bytes:memory:bytes", False),
        "delay/nanoseconds": ("mutex:delay:nanoseconds:mutex:count", False),
        "gc/nanoseconds": ("gc:gc:nanoseconds:gc:nanoseconds", False)},
}
# By /ingest: the files have pprof profiles, and the last value is the weight.
PPROF = {
    "cpu/nanoseconds": ("process_cpu:cpu:nanoseconds:cpu:nanoseconds", False),
    "block/nanoseconds": ("block:block:nanoseconds:block:count", False),
    "wall/nanoseconds": ("wall:wall:nanoseconds:wall:nanoseconds", False),
    "alloc_space/bytes": ("memory:alloc_space:bytes:space:bytes", False),
    "delay/nanoseconds": ("mutex:delay:nanoseconds:mutex:count", False),
    "gc/nanoseconds": ("gc:gc:nanoseconds:gc:count", False),
}


def read_pprof(path, sums):
    with gzip.open(path) as file:
        profile = otlp_check.decode(file.read(), "pprof")
    strings = profile["strings"]
    names = {f["id"]: strings[f["name"]] for f in profile["function"]}
    places = {at["id"]: names[at["lines"][0]["function"]] for at in profile["location"]}
    kind = "/".join(strings[profile["sample_type"][-1][word]] for word in ("type", "unit"))
    for sample in profile["sample"]:
        sums[kind][places[sample["locations"][0]]] += sample["values"][-1]


def written():
    """Returns {type: {leaf: weight}} of the files."""
    sums = collections.defaultdict(collections.Counter)
    for directory in arguments.directories:
        for path in glob.glob(os.path.join(directory, "*.pb.gz")):
            read_pprof(path, sums)
        for path in glob.glob(os.path.join(directory, "*.otlp.gz")):
            with gzip.open(path) as file:
                lines = otlp_check.check(file.read())
            for line in lines:
                if line.startswith("profile "):
                    words = line.split()
                    kind, factor = words[1], int(words[-1])
                elif line.startswith("  "):
                    stack, value = line[2:].split(" thread.name=")[0].rsplit(" ", 1)
                    scale = factor if TYPES[arguments.backend][kind][1] else 1
                    sums[kind][stack.rsplit(";", 1)[-1]] += int(value) * scale
    return sums


def get(path, **query):
    url = f"http://{arguments.address}{path}?{urllib.parse.urlencode(query)}"
    headers = {"X-Scope-OrgID": arguments.tenant} if arguments.tenant else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers),
                                    timeout=60) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as error:
        return {"error": f"{error.code}: {error.read()[:300]}"}


def moment(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def parca(kind):
    reply = get("/api/profiles/query", **{
        "mode": "MODE_MERGE", "report_type": "REPORT_TYPE_PPROF",
        "merge.query": f'{kind}{{service_name="{arguments.service}"}}',
        "merge.start": moment(arguments.since), "merge.end": moment(time.time() + 60)})
    sums = collections.Counter()
    if "pprof" not in reply:
        return sums, str(reply)[:300]
    profile = otlp_check.decode(gzip.decompress(base64.b64decode(reply["pprof"])),
                                "pprof of any tool")
    strings = profile["strings"]
    names = {f["id"]: strings[f.get("name", 0)] for f in profile["function"]}
    places = {at["id"]: names[at["lines"][0]["function"]] if at["lines"] else "?"
              for at in profile["location"]}
    for sample in profile["sample"]:
        sums[places[sample["locations"][0]]] += sample["values"][0]
    return sums, ""


def pyroscope(kind):
    reply = get("/pyroscope/render", **{
        "query": f'{kind}{{service_name="{arguments.service}"}}', "format": "json",
        "from": arguments.since, "until": int(time.time()) + 60, "maxNodes": 1 << 20})
    sums = collections.Counter()
    if "flamebearer" not in reply:
        return sums, str(reply)[:300]
    graph = reply["flamebearer"]
    for level in graph["levels"]:
        for at in range(0, len(level), 4):
            if level[at + 2]:
                sums[graph["names"][level[at + 3]]] += level[at + 2]
    return sums, ""


def compare(kind, wanted):
    name = (PPROF if arguments.pprof else TYPES[arguments.backend])[kind][0]
    # The backend may need a moment.
    for _ in range(60):
        got, why = (parca if arguments.backend == "parca" else pyroscope)(name)
        if arguments.now or sum(got.values()) >= sum(wanted.values()):
            break
        time.sleep(1)
    more = got - wanted
    twice, samples = map(int, arguments.twice.split("/"))
    ok = not wanted - got and \
        sum(more.values()) * samples <= twice * sum(wanted.values())
    print(f"{'|' if ok else 'differs:'} {name}: wrote {sum(wanted.values())}, "
          f"stored {sum(got.values())}, {len(wanted)} leaves {why}")
    if not ok:
        for leaf in sorted(set(got) | set(wanted)):
            if got[leaf] != wanted[leaf]:
                print(f"  wrote {wanted[leaf]} stored {got[leaf]} {leaf}")
    return ok


# Other writers have more fields.
otlp_check.KINDS.update({
    "pprof of any tool": {**otlp_check.KINDS["pprof"],
        3: ("mapping", "bytes", True), 4: ("location", "any location", True),
        5: ("function", "any function", True), 2: ("sample", "any sample", True),
        7: ("drop", "int", False), 8: ("keep", "int", False)},
    "any sample": {1: ("locations", "int", True), 2: ("values", "int", True),
                   3: ("labels", "bytes", True)},
    "any location": {1: ("id", "int", False), 2: ("mapping", "int", False),
                     3: ("address", "int", False), 4: ("lines", "any line", True),
                     5: ("folded", "int", False)},
    "any line": {1: ("function", "int", False), 2: ("line", "int", False),
                 3: ("column", "int", False)},
    "any function": {1: ("id", "int", False), 2: ("name", "int", False),
                     3: ("system", "int", False), 4: ("file", "int", False),
                     5: ("start", "int", False)},
})
everything = written()
if not everything:
    sys.exit("no requests were written")
results = [compare(kind, sums) for kind, sums in sorted(everything.items())]
sys.exit(not all(results))
