# SPDX-License-Identifier: Apache-2.0
"""Compares windows of `prof -e offcpu,lock` with a program's account of its waits.

    window_waits.py LEAST ACCOUNT BEGIN-END OMITTED FILE…

ACCOUNT is the output of Waiting.java, FILE… are requests in the order of their windows.
No window may have more time of a thread than it lasts.  At least LEAST windows must have
exactly the program's, except the first ones, since a wait for a monitor that began
before sampling is unknown, and those of BEGIN-END (CLOCK_MONOTONIC in
seconds), when records were lost, and until all unfinished waits of that time are over.
The sleeps of "cycling" follow each other at once, so the thread is off its CPU all the
time, asleep or, on a busy machine, without a CPU between two sleeps.
The wall clock may be ahead by hours.  prof counted OMITTED waits whose end the kernel did
not report: each may be missing in two windows.
"""
import gzip
import sys
import time

import otlp_check

HOUR = 3600_000_000_000
EXACT = {"sleeping": ("off_cpu", 3), "cycling": ("off_cpu", 1),
         "contending": ("delay", 1)}
TOLERANCE_NS = 100_000_000
LONGEST_NS = 3_600_000_000


def windows(paths):
    """Yields the begin, the end, and the ns by thread of each window."""
    ahead = time.time_ns() - time.monotonic_ns()
    for path in paths:
        with gzip.open(path) as file:
            request = otlp_check.decode(file.read(), "Request")
        checker = otlp_check.Checker(request)
        sums, begin, end = {}, None, None
        for resource in request["resource_profiles"]:
            about = [checker_value["value"].get("string", "")
                     for checker_value in resource["resource"]["attributes"]]
            if not any("Waiting" in text for text in about if isinstance(text, str)):
                continue
            for profile in (p for s in resource["scope_profiles"]
                            for p in s["profiles"]):
                kind = checker.value_type(profile["sample_type"]).split("/")[0]
                begin = profile["time"] - ahead
                end = begin + profile["duration"]
                for sample in profile["samples"]:
                    stack = checker.stack(sample["stack"])
                    labels = dict(map(checker.attribute, sample["attributes"]))
                    name = labels.get("thread.name")
                    if name != "cycling" or "Waiting.cycle" in stack:
                        key = kind, name
                        sums[key] = sums.get(key, 0) + sample["values"][0]
        if begin is not None:
            yield begin, end, sums


def overlap(a, b, c, d):
    return max(0, min(b, d) - max(a, c))


def wanted_ns(name, threads, begin, end, waits):
    """The ns that the threads of a name waited in a window."""
    times = [(at, until) for thread, at, until in waits if thread == name]
    if name == "sleeping":
        return threads * (end - begin)
    if name == "cycling":
        times = [(times[0][0], times[-1][1])]
    return sum(overlap(begin, end, at, until) for at, until in times)


def main():
    least = int(sys.argv[1])
    waits = [(words[1], int(words[2]), int(words[3])) for words in
             (line.split() for line in open(sys.argv[2], encoding="utf-8"))
             if words and words[0] == "wait"]
    lost = [float(word) * 1e9 for word in sys.argv[3].split("-")]
    lost[1] += LONGEST_NS
    now = time.monotonic_ns()
    everything = sorted(windows(sys.argv[5:]), key=lambda w: w[0] % HOUR)
    exact = 0
    bad, short = [], []
    for number, (begin, end, sums) in enumerate(everything):
        # The clock was set by whole hours.
        shift = round((begin - now) / HOUR) * HOUR
        begin, end = begin - shift, end - shift
        whole = 3 < number and not overlap(begin, end, *lost)
        for name, (kind, threads) in EXACT.items():
            got = sums.get((kind, name), 0)
            wanted = wanted_ns(name, threads, begin, end, waits)
            text = (f"window {number} of {(end - begin) / 1e9:.3f} s: {name}: "
                    f"{got / 1e9:.3f} s, not {wanted / 1e9:.3f}")
            print(text)
            if got > threads * (end - begin) * 1.01 + 5_000_000:
                bad.append(text)
            if whole and got > wanted + TOLERANCE_NS * threads:
                bad.append(text)
            if whole and got < wanted - TOLERANCE_NS * threads:
                short.append(text)
        exact += whole
    assert exact >= least, f"{exact} windows, not {least}"
    if len(short) > 2 * int(sys.argv[4]):
        bad += short
    if bad:
        sys.exit("\n".join(["wrong:"] + bad))


main()
