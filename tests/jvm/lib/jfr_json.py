# SPDX-License-Identifier: Apache-2.0
"""jfr_json.py OURS JDKS: compares the output of `sjkc jfr2json` with that of
`jfr print --json`, event by event and field by field."""
import calendar
import collections
import decimal
import json
import re
import sys

UNKNOWN = ("PT-2562047788015215H-30M-8S", "-999999999-01-01T00:00+18:00")
differences = collections.Counter()


def moment(text):
    m = re.match(r"(\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?"
                 r"(Z|[+-]\d\d:\d\d)$", text)
    if not m:
        return None
    parts = [int(m.group(i) or 0) for i in range(1, 7)]
    ns = int((m.group(7) or "").ljust(9, "0"))
    zone = m.group(8)
    offset = 0
    if zone != "Z":
        offset = int(zone[1:3]) * 3600 + int(zone[4:]) * 60
        offset = offset if zone[0] == "+" else -offset
    return (calendar.timegm(tuple(parts) + (0, 0, 0)) - offset) * 10**9 + ns


def span(text):
    m = re.match(r"PT(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?$", text)
    if not m:
        return None
    hours, minutes, seconds = (decimal.Decimal(g or 0) for g in m.groups())
    return int((hours * 3600 + minutes * 60 + seconds) * 10**9)


def is_same(ours, theirs):
    if theirs in UNKNOWN:
        return ours is None
    if isinstance(theirs, str) and type(ours) is int:
        # The JDK limits a span without an end to 2^63 of its own unit.
        return ours in (moment(theirs), span(theirs)) or ours == 2**63 - 1
    if isinstance(theirs, float) and isinstance(ours, (int, float)):
        return abs(ours - theirs) <= 1e-6 * abs(theirs)
    return ours == theirs


def compare(path, ours, theirs):
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if set(theirs) != set(ours) - {"eventType"}:
            differences[path + ": other fields"] += 1
        for key in set(theirs) & set(ours):
            compare(path + "." + key, ours[key], theirs[key])
    elif isinstance(theirs, list) and isinstance(ours, list):
        if len(theirs) != len(ours):
            differences[path + ": other length"] += 1
        for pair in zip(ours, theirs):
            compare(path + "[]", *pair)
    elif not is_same(ours, theirs):
        differences["%s: %s, not %s" % (path, ours, theirs)] += 1


with open(sys.argv[1]) as file:
    ours = json.load(file)
with open(sys.argv[2]) as file:
    theirs = json.load(file)["recording"]["events"]
at = collections.defaultdict(list)
for event in ours:
    at[event["eventType"], event["startTime"]].append(event)
for event in theirs:
    values = event["values"]
    found = at[event["type"], moment(values["startTime"])]
    if found:
        compare(event["type"], found.pop(0), values)
    else:
        differences["no %s at %s" % (event["type"], values["startTime"])] += 1
if len(ours) != len(theirs):
    differences["%d events, not %d" % (len(ours), len(theirs))] += 1
for difference, count in differences.most_common(10):
    print(difference, count)
types = len({event["type"] for event in theirs})
print("# %d events of %d types" % (len(theirs), types))
sys.exit(bool(differences) or not theirs)
