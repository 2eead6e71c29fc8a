#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""longest_truth.py LOG REPORTS RECORDING: compares the last report of
`sjkc ttop --json --record RECORDING` with the JVM's own log, written with
-Xlog:safepoint:file=…:un.

The recording has the number and the sum of the measured stops. Stops of the log
in a row with the same sum, to the nanosecond, are the same stops. The longest
of them must be those of the report, and no bounds. Only a longer stop that was
under way when ttop began leaves a bound."""
import json
import re
import sys

GC = re.compile(r"G1(Collect|Pause|Try)|CGC_|Shenandoah(?!Send)|GenCollect|"
                r"Serial(GC)?Collect|Parallel(GC|Collect)|[XZ](Mark|Relocate)")


def read_log(path):
    """Returns the stops [(operation, total)]."""
    found = (re.search(r'Safepoint "(\w+)".*Total: +(\d+) ns', line)
             for line in open(path, errors="replace"))
    return [(m[1], int(m[2])) for m in found if m]


def find_run(stops, count, total):
    """Returns the index of the first of count stops with this sum, or None."""
    for i in range(len(stops) - count + 1):
        if sum(ns for _, ns in stops[i:i + count]) == total:
            return i
    return None


def main():
    report = [json.loads(line) for line in open(sys.argv[2])][-1]["process"]
    process = [p for p in (json.loads(line).get("process")
                           for line in open(sys.argv[3])) if p][-1]
    print({k: v for k, v in report.items() if "longest" in k})
    if not process.get("stops"):
        sys.exit("no stop was measured")
    stops = read_log(sys.argv[1])
    at = find_run(stops, process["stops"], process["stop_time"])
    if at is None:
        sys.exit(f"no {process['stops']} stops of the log have the sum "
                 f"{process['stop_time']} ns")
    run = stops[at:at + process["stops"]]
    gc = [ns for operation, ns in run if GC.match(operation)]
    print(len(run), "stops,", len(gc), "for collections")
    longest = {"gc_longest": max(gc, default=0),
               "safepoint_longest": max(ns for _, ns in run)}
    wrong = [f"{what}: ttop {mine}, log {logged}" for what, mine, logged in (
        ("longest stop", process["longest_stop"], longest["safepoint_longest"]),
        ("longest pause", process["longest_gc_stop"], longest["gc_longest"]),
        ("pauses", process["gc_stops"], len(gc)),
        ("sum of pauses", process["gc_stop_time"], sum(gc)),
    ) if mine != logged]
    if len(gc) < 5:
        wrong.append(f"only {len(gc)} pauses")
    for name, ns in longest.items():
        if at and stops[at - 1][1] > ns:
            print(f"{name}: a longer stop was under way")
        elif report[name + "_is_lower_bound"]:
            wrong.append(f"{name} is a bound")
        elif abs(report[name + "_ms"] - ns / 1e6) > 1e-4:  # four digits
            wrong.append(f"{name}: {report[name + '_ms']} ms, not {ns} ns")
    sys.exit("\n".join(wrong) or 0)


main()
