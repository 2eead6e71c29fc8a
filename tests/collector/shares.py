#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the shares of frames in two profiles of the same time.

    shares.py self|total A.collapsed B.collapsed POINTS

All frames that have 1 % of the samples in A or B count.  Prints the frames with the
largest shares and the worst difference.  Fails if a share differs by more than
POINTS.
"""
import sys
from collections import Counter


def shares(path, which):
    counts, total = Counter(), 0
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            stack, _, weight = line.rstrip("\n").rpartition(" ")
            frames = stack.split(";")
            total += int(weight)
            for name in {frames[-1]} if which == "self" else set(frames):
                counts[name] += int(weight)
    if not total:
        sys.exit(f"{path} has no samples")
    return {name: 100 * n / total for name, n in counts.items()}, total


def main(which, one, other, points):
    a, a_total = shares(one, which)
    b, b_total = shares(other, which)
    rows = sorted(((max(a.get(name, 0), b.get(name, 0)), name)
                   for name in a.keys() | b.keys()), reverse=True)
    rows = [name for share, name in rows if share >= 1]
    worst = max(rows, key=lambda name: abs(a.get(name, 0) - b.get(name, 0)))
    difference = abs(a.get(worst, 0) - b.get(worst, 0))
    for name in rows[:5] + [worst]:
        print(f"| {which:5} {a.get(name, 0):6.2f} {b.get(name, 0):6.2f}  {name[:60]}")
    print(f"| {which}: {len(rows)} frames of 1 % and more, worst difference "
          f"{difference:.2f} points ({a_total} and {b_total} samples)")
    if difference > float(points):
        sys.exit(f"{worst} differs by {difference:.2f} points")


main(*sys.argv[1:])
