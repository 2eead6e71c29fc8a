#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a file for speedscope or pprof says, read by its format's own words.

    stacks_of.py about FILE     what is in it but the stack traces
    stacks_of.py stacks FILE    all events as sorted collapsed text, each line
                                behind the event; samples of pprof's, weights
                                of speedscope's, which has only one of them
    stacks_of.py weights FILE   the same, but weights of pprof's, too
    stacks_of.py labels FILE    pprof: the samples by their labels

Shares nothing with what wrote the file, and ends with what is wrong with one
that breaks its format.
"""
import collections
import gzip
import json
import sys

# google/pprof, proto/profile.proto: number: (name, message or kind, repeated)
VALUE_TYPE = {1: ("type", "string", False), 2: ("unit", "string", False)}
LABEL = {1: ("key", "string", False), 2: ("str", "string", False),
         3: ("num", "int", False), 4: ("num_unit", "string", False)}
LINE = {1: ("function_id", "int", False), 2: ("line", "int", False)}
PROFILE = {
    1: ("sample_type", VALUE_TYPE, True),
    2: ("sample", {1: ("location_id", "int", True), 2: ("value", "int", True),
                   3: ("label", LABEL, True)}, True),
    3: ("mapping", {1: ("id", "int", False), 2: ("memory_start", "int", False),
                    3: ("memory_limit", "int", False), 4: ("file_offset", "int", False),
                    5: ("filename", "string", False), 6: ("build_id", "string", False),
                    7: ("has_functions", "int", False), 8: ("has_filenames", "int", False),
                    9: ("has_line_numbers", "int", False),
                    10: ("has_inline_frames", "int", False)}, True),
    4: ("location", {1: ("id", "int", False), 2: ("mapping_id", "int", False),
                     3: ("address", "int", False), 4: ("line", LINE, True),
                     5: ("is_folded", "int", False)}, True),
    5: ("function", {1: ("id", "int", False), 2: ("name", "string", False),
                     3: ("system_name", "string", False), 4: ("filename", "string", False),
                     5: ("start_line", "int", False)}, True),
    6: ("string_table", "bytes", True),
    9: ("time_nanos", "int", False),
    10: ("duration_nanos", "int", False),
    11: ("period_type", VALUE_TYPE, False),
    12: ("period", "int", False),
    13: ("comment", "string", True),
    14: ("default_sample_type", "string", False),
}


def check(is_so, what):
    if not is_so:
        sys.exit(f"not valid: {what}")


def varint(data, at):
    value = shift = 0
    while True:
        check(at < len(data) and shift < 70, "a number without an end")
        value |= (data[at] & 0x7f) << shift
        at += 1
        shift += 7
        if data[at - 1] < 0x80:
            return value, at


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        check(key & 7 in (0, 2), f"wire type {key & 7}")
        if key & 7 == 2:
            check(at + value <= len(data), "a field longer than its message")
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def decode(data, schema):
    message = {name: [] if many else 0 if kind in ("int", "string") else None
               for name, kind, many in schema.values()}
    for number, value in fields(data):
        check(number in schema, f"field {number}")
        name, kind, many = schema[number]
        if kind in ("int", "string"):
            packed = isinstance(value, bytes)
            check(not packed or many, f"{name} is bytes")
            values = unpacked(value) if packed else [signed(value)]
        else:
            check(isinstance(value, bytes), f"{name} is no message")
            values = [value if kind == "bytes" else decode(value, kind)]
        if many:
            message[name] += values
        else:
            message[name] = values[0]
    return message


def unpacked(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(signed(value))
    return values


def by_id(things, what):
    table = {thing["id"]: thing for thing in things}
    check(len(table) == len(things), f"two {what}s of one id")
    check(0 not in table, f"a {what} of the id 0")
    return table


class Pprof:
    def __init__(self, data):
        p = self.profile = decode(gzip.decompress(data), PROFILE)
        self.strings = [s.decode("utf-8") for s in p["string_table"]]
        check(self.strings[0] == "", "string 0 is not the empty one")
        check(len(set(self.strings)) == len(self.strings), "a string twice")
        self.mappings = by_id(p["mapping"], "mapping")
        self.functions = by_id(p["function"], "function")
        self.locations = by_id(p["location"], "location")
        self.types = [(self.strings[t["type"]], self.strings[t["unit"]])
                      for t in p["sample_type"]]
        check(len(dict(self.types)) == len(self.types), "two sample types of one name")
        check(self.strings[p["default_sample_type"]] == self.types[-1][0],
              "the default is not the last sample type")
        self.names = {i: self.name(location) for i, location in self.locations.items()}
        seen = set()
        for s in p["sample"]:
            check(len(s["value"]) == len(self.types), "a sample lacks values")
            check(s["location_id"] and any(s["value"]), "an empty sample")
            check(min(s["value"]) >= 0, "a negative value")
            key = (tuple(s["location_id"]), tuple(sorted(self.labels(s).items())))
            check(key not in seen, "a sample twice")
            seen.add(key)

    def name(self, location):
        check(location["mapping_id"] in self.mappings, "a location without a mapping")
        check(len(location["line"]) == 1, "a location without its one line")
        line = location["line"][0]
        name = self.strings[self.functions[line["function_id"]]["name"]]
        return f"{name}:{line['line']}" if line["line"] else name

    def labels(self, sample):
        return {self.strings[l["key"]]: self.strings[l["str"]] or l["num"]
                for l in sample["label"]}

    def about(self):
        p = self.profile
        for name, unit in self.types:
            print(f"sample type {name}, {unit}")
        for comment in p["comment"]:
            print(f"comment {self.strings[comment]}")
        for mapping in p["mapping"]:
            print("mapping", " ".join(k for k in mapping if k.startswith("has_") and mapping[k]))
        print(f"time_nanos {p['time_nanos']}, duration_nanos {p['duration_nanos']}")
        if p["period"]:
            kind = p["period_type"]
            print(f"period {p['period']} {self.strings[kind['type']]}",
                  self.strings[kind["unit"]])
        print(f"{len(p['sample'])} samples, {len(self.locations)} locations,",
              f"{len(self.functions)} functions, {len(self.strings)} strings")

    # A type called NAME_samples counts the samples whose weights are NAME.
    def stacks(self, what):
        names = [name for name, _ in self.types]
        for index, name in enumerate(names):
            counts = f"{name}_samples" in names
            of = name.removesuffix("_samples")
            if counts if what == "stacks" else of != name and of in names:
                continue
            for s in self.profile["sample"]:
                stack = [self.names[i] for i in reversed(s["location_id"])]
                yield of, stack, s["value"][index]

    def print_labels(self):
        sums = collections.Counter()
        for s in self.profile["sample"]:
            text = " ".join(f"{k}={v}" for k, v in sorted(self.labels(s).items()))
            sums[text] += s["value"][-1]
        for text, value in sorted(sums.items()):
            print(f"{value} {text}".rstrip())


class Speedscope:
    def __init__(self, data):
        def once(pairs):
            check(len(dict(pairs)) == len(pairs), "a key twice")
            return dict(pairs)
        self.file = json.loads(data.decode("utf-8"), object_pairs_hook=once)
        check(self.file["$schema"] == "https://www.speedscope.app/file-format-schema.json",
              "another schema")
        frames = self.file["shared"]["frames"]
        for frame in frames:
            check(set(frame) <= {"name", "file", "line", "col"}, "a key of a frame")
        self.names = [f"{f['name']}:{f['line']}" if "line" in f else f["name"] for f in frames]
        check(len(set(self.names)) == len(self.names), "a frame twice")
        profiles = self.file["profiles"]
        check(0 <= self.file["activeProfileIndex"] < len(profiles), "activeProfileIndex")
        for p in profiles:
            check(p["type"] == "sampled", "a type")
            check(p["unit"] in ("none", "nanoseconds", "bytes"), "a unit")
            check(len(p["samples"]) == len(p["weights"]), "samples without weights")
            check(all(w > 0 for w in p["weights"]), "a weight of 0")
            check(all(p["samples"]), "an empty sample")
            check(p["startValue"] == 0 and p["endValue"] == sum(p["weights"]), "endValue")
            check(all(0 <= f < len(frames) for s in p["samples"] for f in s), "a frame's index")

    def about(self):
        print(f"{self.file['exporter']}: {self.file['name']}")
        for i, p in enumerate(self.file["profiles"]):
            front = " (shown first)" if i == self.file["activeProfileIndex"] else ""
            print(f"profile {p['name']}{front}: {len(p['samples'])} samples of",
                  f"{p['endValue']}, {p['unit']}")
        print(f"{len(self.names)} frames")

    # A profile of a thread is called NAME [thread]; the thread becomes the first frame.
    def stacks(self, _):
        for p in self.file["profiles"]:
            name, *thread = p["name"].split(" ", 1)
            for sample, weight in zip(p["samples"], p["weights"]):
                yield name, thread + [self.names[f] for f in sample], weight


# Makes names valid in collapsed text.
def adapted(name):
    return name.replace(";", ":").replace("\n", " ").replace("\r", " ")


def print_stacks(stacks):
    sums = collections.Counter()
    for event, names, weight in stacks:
        sums[f"{event} {';'.join(map(adapted, names))}"] += weight
    lines = [f"{stack} {weight}\n".encode() for stack, weight in sums.items() if weight]
    sys.stdout.buffer.writelines(sorted(lines))


def main():
    what, path = sys.argv[1:3]
    with open(path, "rb") as file:
        data = file.read()
    read = Pprof(data) if data[:2] == b"\x1f\x8b" else Speedscope(data)
    if what == "about":
        read.about()
    elif what in ("stacks", "weights"):
        print_stacks(read.stacks(what))
    else:
        read.print_labels()


main()
