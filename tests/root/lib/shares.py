#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
#	shares.py self|total A.collapsed B.collapsed POINTS [COUNT]
#
# Compares the profiles of one run by two samplers: the shares of the COUNT (10)
# hottest methods in A.  Only Java frames count; the time of native and kernel
# frames belongs to the Java method that called them.  The files have collapsed
# stack traces with marks of the kind of each frame (--annotate) and sample
# counts.  Prints a table.  Fails if a share differs by more than POINTS and two
# standard errors of the number of samples.
import math
import re
import sys
from collections import Counter

java = re.compile(r"_\[[ji01]\]$")


def shares(path, which):
    counts, total = Counter(), 0
    with open(path, encoding="utf-8", errors="replace") as lines:
        stacks = [line.rstrip("\n").rpartition(" ") for line in lines]
    # Thread dumps have only Java frames, without marks.
    marked = any(java.search(f) for s, _, _ in stacks for f in s.split(";"))
    for stack, _, weight in stacks:
        frames = [java.sub("", f) for f in stack.split(";")
                  if not marked or java.search(f)]
        if not frames:
            continue
        total += int(weight)
        for name in {frames[-1]} if which == "self" else set(frames):
            counts[name] += int(weight)
    if not total:
        sys.exit(f"{path} has no Java frames")
    return {name: 100 * n / total for name, n in counts.items()}, total


def main(which, one, other, points, count=10):
    a, a_total = shares(one, which)
    b, b_total = shares(other, which)
    print(f"{which}: {a_total} and {b_total}")
    far = 0
    for name in sorted(a, key=a.get, reverse=True)[: int(count)]:
        p = a[name] / 100
        error = 100 * math.sqrt(p * (1 - p) * (1 / a_total + 1 / b_total))
        differs = abs(a[name] - b.get(name, 0)) > float(points) + 2 * error
        far += differs
        print(f"{a[name]:6.1f} {b.get(name, 0):6.1f} {'!' if differs else ' '} {name}")
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
