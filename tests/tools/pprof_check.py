#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a profile in the format of pprof, and prints what it says.

    pprof_check.py FILE    its types, and the stacks with the first value

check_request() checks a request to Pyroscope's /ingest, and computes the name that
Pyroscope gives the profile (pkg/og/convert/pprof/profile.go, metricName).
check_series() checks a request to Parca's WriteRaw as Parca does
(pkg/normalizer/validate.go).
"""
import gzip
import os
import re
import sys
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import otlp_check  # noqa: E402

# Messages of google/pprof, proto/profile.proto.
otlp_check.KINDS.update({
    "pprof": {1: ("sample_type", "pprof type", True), 2: ("sample", "pprof sample", True),
              3: ("mapping", "pprof mapping", True),
              4: ("location", "pprof location", True),
              5: ("function", "pprof function", True), 6: ("strings", "string", True),
              9: ("time", "int", False), 10: ("duration", "int", False),
              11: ("period_type", "pprof type", False), 12: ("period", "int", False),
              13: ("comment", "int", True), 14: ("default_type", "int", False)},
    "pprof type": {1: ("type", "int", False), 2: ("unit", "int", False)},
    "pprof sample": {1: ("locations", "int", True), 2: ("values", "int", True),
                     3: ("labels", "pprof label", True)},
    "pprof label": {1: ("key", "int", False), 2: ("text", "int", False),
                    3: ("number", "int", False)},
    "pprof mapping": {1: ("id", "int", False), 7: ("functions", "int", False),
                      9: ("lines", "int", False)},
    "pprof location": {1: ("id", "int", False), 2: ("mapping", "int", False),
                       4: ("lines", "pprof line", True)},
    "pprof line": {1: ("function", "int", False), 2: ("line", "int", False)},
    "pprof function": {1: ("id", "int", False), 2: ("name", "int", False)},
    # parca.profilestore.v1alpha1
    "WriteRaw": {2: ("series", "RawSeries", True)},
    "RawSeries": {1: ("labels", "LabelSet", False), 2: ("samples", "RawSample", True)},
    "LabelSet": {1: ("labels", "RawLabel", True)},
    "RawLabel": {1: ("name", "string", False), 2: ("value", "string", False)},
    "RawSample": {1: ("profile", "bytes", False)},
})

# Names that Pyroscope shows instead of a type (DefaultSampleTypeMapping).
SHOWN = {"samples": "cpu", "contentions": "mutex_count", "delay": "mutex_duration"}


def name_of(types):
    if "wall" in types:
        return "wall"
    for name in types:
        name = SHOWN.get(name, name)
        if "cpu" in name:
            return "process_cpu"
        if "alloc_" in name or "inuse_" in name:
            return "memory"
        if "mutex_" in name:
            return "mutex"
        if "block_" in name:
            return "block"
    return types[-1]


def labels_of(name):
    """Splits "service{key=value,…}" as Pyroscope does."""
    service, _, rest = name.partition("{")
    if not service or not all(c.isalnum() or c in "-._/" for c in service):
        raise ValueError(f"the service is invalid: {service}")
    if not rest.endswith("}") or "{" in rest or "}" in rest[:-1]:
        raise ValueError(f"the labels are invalid: {rest}")
    labels = dict(pair.split("=", 1) for pair in rest[:-1].split(",") if pair)
    for key in labels:
        if not all(c.isalnum() or c == "_" for c in key):
            raise ValueError(f"the key is invalid: {key}")
    return service, labels


def check(data):
    """Returns the profile's types, start and lines; ValueError if it is invalid."""
    profile = otlp_check.decode(data, "pprof")
    strings = profile["strings"]
    if not strings or strings[0]:
        raise ValueError("string 0 is not empty")
    functions = {f["id"]: strings[f["name"]] for f in profile["function"]}
    locations = {where["id"]: functions[where["lines"][0]["function"]]
                 for where in profile["location"]}
    types = [strings[one["type"]] for one in profile["sample_type"]]
    units = [strings[one["unit"]] for one in profile["sample_type"]]
    period = profile.get("period_type")
    lines = ["types " + " ".join(map("/".join, zip(types, units))) + " period " +
             (f"{strings[period['type']]}/{strings[period['unit']]} " if period else "- ") +
             str(profile.get("period", 0))]
    first = units.index("count")
    seen = set()
    for sample in profile["sample"]:
        if len(sample["values"]) != len(types):
            raise ValueError("a sample has another number of values")
        if len(sample["locations"]) > 1000:
            raise ValueError(f"a stack has {len(sample['locations'])} frames")
        stack = ";".join(locations[at] for at in reversed(sample["locations"]))
        labels = " ".join(f"{strings[one['key']]}="
                          f"{strings[one['text']] if 'text' in one else one['number']}"
                          for one in sample["labels"])
        if (stack, labels) in seen:
            raise ValueError(f"equal samples of {stack}")
        seen.add((stack, labels))
        lines.append(f"  {stack} {sample['values'][first]} {labels}".rstrip())
    return types, profile.get("time", 0), lines


def check_request(path, data):
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query,
                                  strict_parsing=True)
    service, labels = labels_of(query["name"][0])
    if query["format"] != ["pprof"] or query["spyName"] != ["sjkc"]:
        raise ValueError(f"the query is {query}")
    types, start, lines = check(data)
    begin, end = int(query["from"][0]), int(query["until"][0])
    if not begin <= start / 1e9 <= end and len(lines) > 1:
        raise ValueError(f"{start} is not from {begin} to {end}")
    lines.insert(0, f"resource service.name={service} __name__={name_of(types)} " +
                 " ".join(f"{key}={value}" for key, value in labels.items()))
    return [line.rstrip() for line in lines], start


def check_series(data):
    lines = []
    for series in otlp_check.decode(data, "WriteRaw")["series"]:
        labels = {}
        for label in series["labels"]["labels"]:
            name = label["name"]
            if not re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", name):
                raise ValueError(f"invalid label name: {name}")
            if name in labels:
                raise ValueError(f"duplicate label name: {name}")
            labels[name] = label["value"]
        if not labels.get("__name__"):
            raise ValueError("missing __name__ label")
        for one in series["samples"]:
            profile = otlp_check.decode(one["profile"], "pprof")
            for table in ("mapping", "location", "function"):
                ids = [entry["id"] for entry in profile[table]]
                if ids != list(range(1, len(ids) + 1)):
                    raise ValueError(f"{table} id is not sequential")
            if any(sample["labels"] for sample in profile["sample"]):
                raise ValueError("Parca drops the labels of samples")
            lines.append("resource " + " ".join(f"{key.replace('service_name', 'service.name')}"
                                                f"={value}" for key, value in labels.items()))
            lines += check(one["profile"])[2]
    return lines


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        content = file.read()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    print("\n".join(check(content)[2]))
