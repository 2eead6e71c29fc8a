#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gc_truth.py LOG JSON [BOUND_US]: compares records of `sjkc gc --json` with
the JVM's own log of the same time, written with
-Xlog:gc,gc+phases,safepoint:file=…:un (un: ns since the JVM started).

Prints "NAME MATCHED OF WORST" for each compared value; the unit is ns for
stopped and sync, us for gc. "equal" counts records whose stopped time is in
the log, at whatever time. A record without a line in the log, or a line
without a record, counts as not matched."""
import bisect
import json
import re
import sys

NEAR_NS = 200_000_000  # a busy machine delays the log or the probe


def read_log(path):
    """Returns safepoints [(time, operation, sync, total)], JDK 17 and later,
    and pauses [(time, text, ns)]."""
    stops, pauses = [], []
    for line in open(path, errors="replace"):
        m = re.match(
            r"\[(\d+)ns\].*Safepoint \"(\w+)\".*Reaching safepoint: +(\d+) ns"
            r".*Total: +(\d+) ns", line)
        if m:
            stops.append((int(m[1]), m[2], int(m[3]), int(m[4])))
            continue
        m = re.match(r"\[(\d+)ns\].*?((?:[yYO]: )?Pause [A-Z].*?) "
                     r"(?:(\d+)M->(\d+)M\((\d+)M\) )?"
                     r"(?:\d+M\(\d+%\)->\d+M\(\d+%\) )?([\d.]+)ms$", line)
        if m:
            pauses.append((int(m[1]), m[2], round(float(m[6]) * 1e6),
                           m[3] and (int(m[3]), int(m[4]))))
    return stops, pauses


def cause_of(text):
    groups = re.findall(r"\(([^()]*(?:\(\))?[^()]*)\)", text)
    return groups[-1] if groups and text.startswith("Pause") else None


def main():
    bound_us = float(sys.argv[3]) if len(sys.argv) > 3 else 50
    stops, pauses = read_log(sys.argv[1])
    records = [json.loads(line) for line in open(sys.argv[2])]
    records = [r for r in records if r["count"]]
    ends = [r["uptime_ns"] for r in records]
    first, last = min(ends), max(ends)
    truth = [s for s in stops if first - 1e6 <= s[0] and s[0] - 1e6 <= last]
    times = [s[0] for s in truth]
    results = {name: [0, 0, 0] for name in
               ("stopped", "sync", "operation", "gc", "cause", "heap", "equal")}
    used = set()
    ends_of_pauses = [p[0] for p in pauses]
    totals = {s[3] for s in stops}

    def note(name, fits, error=0):
        results[name][0] += bool(fits)
        results[name][1] += 1
        results[name][2] = max(results[name][2], abs(error))

    missed = 0
    # Pairs: lines with the same total and time to safepoint first, then the
    # nearest total of that time.
    pairs = {}
    by_times = {}
    for k, (_, _, sync, total) in enumerate(truth):
        by_times.setdefault((sync, total), []).append(k)
    for n, r in enumerate(records):
        same = [k for k in by_times.get((r["sync_ns"], r["stopped_ns"]), ())
                if k not in used and
                abs(times[k] - r["uptime_ns"]) < NEAR_NS]
        if same:
            pairs[n] = min(same, key=lambda k: abs(times[k] - r["uptime_ns"]))
            used.add(pairs[n])
    for n, r in enumerate(records):
        if n in pairs or r["count"] != 1:
            continue
        i = bisect.bisect_left(times, r["uptime_ns"])
        near = [k for k in range(max(i - 20, 0), min(i + 20, len(truth)))
                if k not in used and
                abs(times[k] - r["uptime_ns"]) < NEAR_NS]
        if near:
            pairs[n] = min(near, key=lambda k: abs(truth[k][3] -
                                                   r["stopped_ns"]))
            used.add(pairs[n])

    for n, r in enumerate(records):
        # "equal": the log has a stop of this length, at any time.
        if r["count"] == 1:
            note("equal", r["stopped_ns"] in totals)
        if r["count"] != 1:
            missed += r["count"]  # gc printed the loss
            continue
        if n not in pairs:
            note("stopped", False)
            continue
        k = pairs[n]
        _, operation, sync, total = truth[k]
        note("stopped", total == r["stopped_ns"], total - r["stopped_ns"])
        note("sync", sync == r["sync_ns"], sync - (r["sync_ns"] or 0))
        if r["operation"]:
            note("operation", operation == r["operation"])
        # A pause of the log ends within its stop.
        begin = r["uptime_ns"] - r["stopped_ns"]
        inside = pauses[bisect.bisect_right(ends_of_pauses, begin):
                        bisect.bisect_right(ends_of_pauses,
                                            max(times[k], r["uptime_ns"]))]
        if not inside:
            continue
        if r["gc_ns"] is not None:
            error = (r["gc_ns"] - sum(p[2] for p in inside)) / 1000
            note("gc", abs(error) <= bound_us, error)
        elif r["kind"] != "safepoint":
            note("gc", False)
        causes = [cause_of(p[1]) for p in inside]
        if causes[-1] and r["kind"] not in ("cycle pause", "safepoint"):
            note("cause", r["cause"] in causes)
        if len(inside) == 1 and inside[0][3] and r["heap_before_bytes"]:
            mine = (r["heap_before_bytes"] >> 20, (r["heap_after_bytes"] or 0) >> 20)
            note("heap", mine == inside[0][3])
    for _ in range(len(truth) - len(used) - missed):
        note("stopped", False)
    for name, (matched, of, worst) in results.items():
        print(f"{name} {matched} {of} {worst:.1f}")


main()
