#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gc_truth.py LOG JSON [BOUND_US]: compares records of `sjkc gc --json` with
the JVM's own log of the same time, written with
-Xlog:gc,gc+phases,safepoint:file=…:un (un: ns since the JVM started).

Prints "NAME MATCHED OF WORST" for each compared value; the unit is ns for
stopped and sync, us for gc. "equal" counts records whose stopped time is in
the log, at whatever time. A record without a line in the log, or a line
without a record, counts as not matched.

Only the order of lines is reliable: a busy machine delays a line, or the probe,
by more than a pause lasts."""
import bisect
import json
import re
import sys

NEAR_NS = 200_000_000  # for stops that are not in the log to the ns


def read_log(path):
    """Returns stops {time, operation, sync, total, pauses}, JDK 17 and later.
    The VM thread logs the pauses [(text, ns, heap)] before their stop."""
    stops, pauses = [], []
    for line in open(path, errors="replace"):
        m = re.match(
            r"\[(\d+)ns\].*Safepoint \"(\w+)\".*Reaching safepoint: +(\d+) ns"
            r".*Total: +(\d+) ns", line)
        if m:
            stops.append({"time": int(m[1]), "operation": m[2],
                          "sync": int(m[3]), "total": int(m[4]),
                          "pauses": pauses})
            pauses = []
            continue
        m = re.match(r"\[(\d+)ns\].*?((?:[yYO]: )?Pause [A-Z].*?) "
                     r"(?:(\d+)M->(\d+)M\((\d+)M\) )?"
                     r"(?:\d+M\(\d+%\)->\d+M\(\d+%\) )?([\d.]+)ms$", line)
        if m:
            pauses.append((m[2], round(float(m[6]) * 1e6),
                           m[3] and (int(m[3]), int(m[4]))))
    return stops


def cause_of(text):
    groups = re.findall(r"\(([^()]*(?:\(\))?[^()]*)\)", text)
    return groups[-1] if groups and text.startswith("Pause") else None


def find_pairs(stops, records):
    """Returns {record: stop}, by number: those with the same times, in order,
    then the nearest total of that time."""
    pairs, used, least = {}, set(), 0
    by_times = {}
    for k, s in enumerate(stops):
        by_times.setdefault((s["sync"], s["total"]), []).append(k)
    for n, r in enumerate(records):
        same = [k for k in by_times.get((r["sync_ns"], r["stopped_ns"]), ())
                if k >= least]
        if same:
            pairs[n] = same[0]
            used.add(same[0])
            least = same[0] + 1
    times = [s["time"] for s in stops]
    for n, r in enumerate(records):
        if n in pairs or r["count"] != 1:
            continue
        i = bisect.bisect_left(times, r["uptime_ns"])
        near = [k for k in range(max(i - 20, 0), min(i + 20, len(stops)))
                if k not in used and
                abs(times[k] - r["uptime_ns"]) < NEAR_NS]
        if near:
            pairs[n] = min(near, key=lambda k: abs(stops[k]["total"] -
                                                   r["stopped_ns"]))
            used.add(pairs[n])
    return pairs


def main():
    bound_us = float(sys.argv[3]) if len(sys.argv) > 3 else 50
    stops = read_log(sys.argv[1])
    records = [json.loads(line) for line in open(sys.argv[2])]
    records = [r for r in records if r["count"]]
    # With --log, gc may end between the lines of a pause and of its stop.
    if records and records[-1]["stopped_ns"] is None:
        records.pop()
    pairs = find_pairs(stops, records)
    results = {name: [0, 0, 0] for name in
               ("stopped", "sync", "operation", "gc", "cause", "heap", "equal")}
    totals = {s["total"] for s in stops}

    def note(name, fits, error=0):
        results[name][0] += bool(fits)
        results[name][1] += 1
        results[name][2] = max(results[name][2], abs(error))

    missed = 0
    for n, r in enumerate(records):
        if r["count"] != 1:
            missed += r["count"]  # gc printed the loss
            continue
        # "equal": the log has a stop of this length, at any time.
        note("equal", r["stopped_ns"] in totals)
        if n not in pairs:
            note("stopped", False)
            continue
        s = stops[pairs[n]]
        note("stopped", s["total"] == r["stopped_ns"],
             s["total"] - r["stopped_ns"])
        note("sync", s["sync"] == r["sync_ns"], s["sync"] - (r["sync_ns"] or 0))
        if r["operation"]:
            note("operation", s["operation"] == r["operation"])
        inside = s["pauses"]
        if not inside:
            continue
        if r["gc_ns"] is not None:
            error = (r["gc_ns"] - sum(p[1] for p in inside)) / 1000
            note("gc", abs(error) <= bound_us, error)
        elif r["kind"] != "safepoint":
            note("gc", False)
        causes = [cause_of(p[0]) for p in inside]
        if causes[-1] and r["kind"] not in ("cycle pause", "safepoint"):
            note("cause", r["cause"] in causes)
        if len(inside) == 1 and inside[0][2] and r["heap_before_bytes"]:
            mine = (r["heap_before_bytes"] >> 20,
                    (r["heap_after_bytes"] or 0) >> 20)
            note("heap", mine == inside[0][2])
    # Lines between the first and the last record that are in no record.
    window = range(min(pairs.values(), default=0),
                   max(pairs.values(), default=-1) + 1)
    for _ in range(len(window) - len(pairs) - missed):
        note("stopped", False)
    for name, (matched, of, worst) in results.items():
        print(f"{name} {matched} {of} {worst:.1f}")


main()
