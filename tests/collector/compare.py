#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what the Collector received with what sjkc sent.

    compare.py [--collapsed] DIRECTORY

DIRECTORY/N.json is a request as the Collector's library converted it to JSON,
DIRECTORY/N.otlp as its exporters would send it, DIRECTORY/N.sent, if present, the
gzipped body as sjkc sent it.  All must have the same resources, profiles, stack
traces, values and attributes, and keep the rules of tests/tools/otlp_check.py.  The Collector has a request twice if it is killed after it
stored the request and before it answered; it counts once.  Prints the numbers of
requests and samples, and the resources.  With --collapsed, prints the stack traces
instead.
"""
import glob
import gzip
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "tools"))
import otlp_check  # noqa: E402


# The exporters write absent identifiers as zeros.
otlp_check.KINDS["Link"] = {1: ("trace", "bytes", False),
                            2: ("span", "bytes", False)}
otlp_check.KINDS["Profile"][7] = ("id", "bytes", False)
# Those of 0.161 and later replace keys of resources by references.
otlp_check.KINDS["KeyValue"][3] = ("key_reference", "int", False)
otlp_check.KINDS["AnyValue"][8] = ("reference", "int", False)


class Converted:
    """A request in JSON, in which the library uses references for all strings."""

    def __init__(self, request):
        self.request = request
        self.tables = request["dictionary"]

    def string(self, index):
        return self.tables["stringTable"][index]

    def value(self, value):
        if "stringValueStrindex" in value:
            return self.string(value["stringValueStrindex"])
        if "intValue" in value:
            return int(value["intValue"])
        return value.get("stringValue", "")

    def attribute(self, entry):
        key = entry["key"] if "key" in entry else \
            self.string(entry.get("keyStrindex", 0))
        return f"{key}={self.value(entry['value'])}"

    def frame(self, index):
        (line,) = self.tables["locationTable"][index]["lines"]
        function = self.tables["functionTable"][line["functionIndex"]]
        number = f":{line['line']}" if "line" in line else ""
        return self.string(function["nameStrindex"]) + number

    def stack(self, index):
        entry = self.tables["stackTable"][index]
        return ";".join(map(self.frame, reversed(entry["locationIndices"])))

    def kind(self, value):
        if not value:
            return "-"
        return "/".join(self.string(value[key])
                        for key in ("typeStrindex", "unitStrindex"))

    def lines(self):
        """The lines that otlp_check.check() returns for the same request."""
        for resource in self.request["resourceProfiles"]:
            yield "resource " + " ".join(map(
                self.attribute, resource["resource"]["attributes"]))
            for scope in resource["scopeProfiles"]:
                for profile in scope["profiles"]:
                    yield (f"profile {self.kind(profile['sampleType'])} period "
                           f"{self.kind(profile.get('periodType'))} "
                           f"{profile.get('period', 0)}")
                    for sample in profile["samples"]:
                        yield " ".join(
                            ["  " + self.stack(sample["stackIndex"]),
                             *sample["values"],
                             *(self.attribute(self.tables["attributeTable"][at])
                               for at in sample.get("attributeIndices", []))])


def lines_of_exporter(wire):
    """The lines of a request as an exporter sends it, with entries 0 of its own."""
    request = otlp_check.decode(wire, "Request")
    for name, entries in request["dictionary"].items():
        if name == "string":
            continue
        if any(any(value) for value in entries[0].values()):
            sys.exit(f"{name} 0 is {entries[0]}")
        entries[0] = otlp_check.decode(b"", name.capitalize())
    checker = otlp_check.Checker(request)
    for resource in request["resource_profiles"]:
        for entry in resource["resource"]["attributes"]:
            if "key_reference" in entry:
                entry["key"] = checker.string(entry["key_reference"])
            if "reference" in entry["value"]:
                entry["value"]["string"] = checker.string(entry["value"]["reference"])
    return checker.run()


def differs(name, ours, theirs):
    for number, (one, other) in enumerate(zip(ours, theirs)):
        if one != other:
            sys.exit(f"{name}, line {number + 1}:\n{one}\n{other}")
    if len(ours) != len(theirs):
        sys.exit(f"{name}: {len(ours)} and {len(theirs)} lines")


def values(converted):
    """Samples of cpu; other events have weights."""
    return sum(int(sample["values"][0])
               for resource in converted.request["resourceProfiles"]
               for scope in resource["scopeProfiles"]
               for profile in scope["profiles"]
               if converted.kind(profile["sampleType"]) == "samples/count"
               for sample in profile["samples"])


def print_collapsed(converted):
    for resource in converted.request["resourceProfiles"]:
        for scope in resource["scopeProfiles"]:
            for profile in scope["profiles"]:
                for sample in profile["samples"]:
                    print(converted.stack(sample["stackIndex"]),
                          sample["values"][0])


def main():
    directory = sys.argv[-1]
    paths = sorted(glob.glob(os.path.join(directory, "*.json")),
                   key=lambda path: int(os.path.basename(path)[:-5]))
    samples = start = requests = 0
    resources = set()
    before = b""
    for path in paths:
        base = path[:-5]
        with open(path, encoding="utf-8") as file:
            converted = Converted(json.load(file))
        lines = [line.rstrip() for line in converted.lines()]  # as otlp_check.py
        if sys.argv[1] == "--collapsed":
            print_collapsed(converted)
            continue
        with open(base + ".otlp", "rb") as file:
            wire = file.read()
        if wire == before:
            continue
        before = wire
        requests += 1
        resources.update(line for line in lines if line.startswith("resource"))
        samples += values(converted)
        differs(base + ".otlp", lines_of_exporter(wire), lines)
        if os.path.exists(base + ".sent"):
            with gzip.open(base + ".sent") as file:
                differs(base + ".sent", otlp_check.check(file.read()), lines)
        time = int(converted.request["resourceProfiles"][0]["scopeProfiles"][0]
                   ["profiles"][0]["timeUnixNano"])
        if time < start:
            sys.exit(f"{path} begins before the request before it")
        start = time
    if sys.argv[1] == "--collapsed":
        return
    print(f"requests {requests}")
    print(f"samples {samples}")
    print("\n".join(sorted(resources)))


if __name__ == "__main__":
    main()
