#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a request of OpenTelemetry profiles and prints what it says.

    otlp_check.py FILE            the rules that receivers enforce, and the stacks
    otlp_check.py --official FILE…
                                  the same, decoded by the official classes too

The rules: index 0 of each table is empty, indexes are in range, no entry appears
twice or is unreferenced, each string is valid UTF-8, each sample has one value and
no time, equal samples are added up, a stack has at most 1,000 frames.  Exits with 77
without the classes (Debian: python3-opentelemetry-proto) that --official needs.
"""
import gzip
import sys

# Messages of opentelemetry-proto 1.11: number: (name, kind, repeated).
KINDS = {
    "Request": {1: ("resource_profiles", "ResourceProfiles", True),
                2: ("dictionary", "Dictionary", False)},
    "ResourceProfiles": {1: ("resource", "Resource", False),
                         2: ("scope_profiles", "ScopeProfiles", True),
                         3: ("schema_url", "string", False)},
    "Resource": {1: ("attributes", "KeyValue", True)},
    "KeyValue": {1: ("key", "string", False), 2: ("value", "AnyValue", False)},
    "AnyValue": {1: ("string", "string", False), 2: ("bool", "int", False),
                 3: ("int", "int", False)},
    "ScopeProfiles": {1: ("scope", "Scope", False),
                      2: ("profiles", "Profile", True)},
    "Scope": {1: ("name", "string", False), 2: ("version", "string", False)},
    "Profile": {1: ("sample_type", "ValueType", False),
                2: ("samples", "Sample", True),
                3: ("time", "fixed64", False), 4: ("duration", "int", False),
                5: ("period_type", "ValueType", False),
                6: ("period", "int", False)},
    "ValueType": {1: ("type", "int", False), 2: ("unit", "int", False)},
    "Sample": {1: ("stack", "int", False), 2: ("attributes", "int", True),
               3: ("link", "int", False), 4: ("values", "int", True)},
    "Dictionary": {1: ("mapping", "Mapping", True),
                   2: ("location", "Location", True),
                   3: ("function", "Function", True), 4: ("link", "Link", True),
                   5: ("string", "string", True),
                   6: ("attribute", "Attribute", True),
                   7: ("stack", "Stack", True)},
    "Mapping": {}, "Link": {},
    "Stack": {1: ("locations", "int", True)},
    "Location": {1: ("mapping", "int", False), 3: ("lines", "Line", True),
                 4: ("attributes", "int", True)},
    "Line": {1: ("function", "int", False), 2: ("line", "int", False)},
    "Function": {1: ("name", "int", False)},
    "Attribute": {1: ("key", "int", False), 2: ("value", "AnyValue", False),
                  3: ("unit", "int", False)},
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def decode(data, kind):
    fields = KINDS[kind]
    out = {name: [] for name, _, repeated in fields.values() if repeated}
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        if number not in fields:
            raise ValueError(f"{kind} has an unexpected field {number}")
        name, kind_of, repeated = fields[number]
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif wire == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError(f"{kind}.{name} is truncated")
        else:
            raise ValueError(f"{kind}.{name} has wire type {wire}")
        if kind_of == "string":
            value = value.decode("utf-8")
        elif kind_of == "int" and repeated:
            if wire != 2:
                raise ValueError(f"{kind}.{name} is not packed")
            where = 0
            while where < len(value):
                one, where = varint(value, where)
                out[name].append(one)
            continue
        elif kind_of not in ("int", "fixed64", "bytes"):
            value = decode(value, kind_of)
        if repeated:
            out[name].append(value)
        else:
            out[name] = value
    return out


def any_value(value):
    return value.get("string", value.get("int"))


class Checker:
    def __init__(self, request):
        self.tables = request["dictionary"]
        self.used = {name: {0} for name in self.tables}
        self.request = request

    def entry(self, table, index):
        entries = self.tables[table]
        if index >= len(entries):
            raise ValueError(f"{table} {index} is out of range")
        self.used[table].add(index)
        return entries[index]

    def string(self, index):
        return self.entry("string", index)

    def attribute(self, index):
        entry = self.entry("attribute", index)
        if not index:
            raise ValueError("attribute 0 is referenced")
        return self.string(entry["key"]), any_value(entry["value"])

    def location(self, index):
        entry = self.entry("location", index)
        if not index or len(entry["lines"]) != 1:
            raise ValueError(f"location {index} has not one line")
        line = entry["lines"][0]
        for attribute in entry["attributes"]:
            self.attribute(attribute)
        name = self.string(self.entry("function", line["function"])["name"])
        return name + (f":{line['line']}" if "line" in line else "")

    def stack(self, index):
        locations = self.entry("stack", index)["locations"]
        if not index or not locations or len(locations) > 1000:
            raise ValueError(f"stack {index} has {len(locations)} frames")
        return ";".join(reversed([self.location(at) for at in locations]))

    def value_type(self, value):
        if not value:
            return "-"
        return f"{self.string(value['type'])}/{self.string(value['unit'])}"

    def profile(self, profile, lines):
        seen = set()
        lines.append(f"profile {self.value_type(profile['sample_type'])} period "
                     f"{self.value_type(profile['period_type'])} "
                     f"{profile.get('period', 0)}")
        if not profile["samples"]:
            raise ValueError("a profile has no samples")
        for sample in profile["samples"]:
            key = sample["stack"], tuple(sample["attributes"])
            if key in seen or sample.get("link"):
                raise ValueError(f"equal samples of stack {sample['stack']}")
            seen.add(key)
            if len(sample["values"]) != 1:
                raise ValueError(f"a sample has {len(sample['values'])} values")
            labels = " ".join(f"{key}={value}" for key, value in
                              map(self.attribute, sample["attributes"]))
            lines.append(f"  {self.stack(sample['stack'])} "
                         f"{sample['values'][0]} {labels}".rstrip())

    def run(self):
        lines = []
        if not self.request["resource_profiles"]:
            raise ValueError("missing resource profiles")
        for name, entries in self.tables.items():
            empty = "" if name == "string" else decode(b"", name.capitalize())
            if not entries or entries[0] != empty:
                raise ValueError(f"{name} 0 is not empty")
            if len({repr(entry) for entry in entries}) != len(entries):
                raise ValueError(f"{name} has equal entries")
        for resource in self.request["resource_profiles"]:
            lines.append("resource " + " ".join(
                f"{a['key']}={any_value(a['value'])}"
                for a in resource["resource"]["attributes"]))
            for scope in resource["scope_profiles"]:
                for profile in scope["profiles"]:
                    self.profile(profile, lines)
        for name, entries in self.tables.items():
            orphans = set(range(len(entries))) - self.used[name]
            if orphans:
                raise ValueError(f"{name} has unreferenced entries: {orphans}")
        return [line.rstrip() for line in lines]


def check(data):
    """Returns the lines of a request; ValueError if it breaks a rule."""
    return Checker(decode(data, "Request")).run()


def official_lines(request):
    """Prints types, stacks and values as run() does."""
    tables = request.dictionary

    def type_of(value):
        if not value.type_strindex:
            return "-"
        return (f"{tables.string_table[value.type_strindex]}/"
                f"{tables.string_table[value.unit_strindex]}")

    def frame(index):
        line = tables.location_table[index].lines[0]
        name = tables.function_table[line.function_index].name_strindex
        return tables.string_table[name] + (f":{line.line}" if line.line else "")

    for resource in request.resource_profiles:
        for scope in resource.scope_profiles:
            for profile in scope.profiles:
                assert profile.HasField("period_type")
                yield (f"profile {type_of(profile.sample_type)} period "
                       f"{type_of(profile.period_type)} {profile.period}")
                for sample in profile.samples:
                    stack = tables.stack_table[sample.stack_index]
                    frames = map(frame, reversed(stack.location_indices))
                    yield f"  {';'.join(frames)} {sample.values[0]}"


def check_official(data, lines):
    try:
        from opentelemetry.proto.collector.profiles.v1development import (
            profiles_service_pb2 as service)
    except ImportError:
        return False
    request = service.ExportProfilesServiceRequest()
    request.ParseFromString(data)
    assert request.SerializeToString() == data, "unknown fields, or another order"
    ours = [line for line in lines if line.split(" ")[0] != "resource"]
    theirs = list(official_lines(request))
    assert len(ours) == len(theirs), "another number of samples"
    for our, their in zip(ours, theirs):
        # Attributes follow the value.
        assert our.startswith(their), f"the classes read {their!r}, not {our!r}"
    return True


if __name__ == "__main__":
    is_official = sys.argv[1] == "--official"
    for path in sys.argv[1 + is_official:]:
        with open(path, "rb") as file:
            content = file.read()
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        printed = check(content)
        if not is_official:
            print("\n".join(printed))
        elif not check_official(content, printed):
            print("the official classes are not installed "
                  "(python3-opentelemetry-proto)")
            sys.exit(77)
    if is_official:
        print("the official classes agree")
