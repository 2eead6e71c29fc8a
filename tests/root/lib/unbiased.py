#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
#	jfr print --json --stack-depth 2048 --events jdk.CPUTimeSample FILE |
#		unbiased.py THREAD
#
# The samples of a thread as collapsed stack traces with marks, but for those
# that the JVM itself says are biased: it could not walk the stack where the
# thread was, and took that of the next safepoint.  On stderr, how many.
import json
import re
import sys
from collections import Counter

marks = {"Inlined": "_[i]", "JIT compiled": "_[j]", "Interpreted": "_[0]",
         "C1 compiled": "_[1]"}
stacks, biased = Counter(), 0
for event in json.load(sys.stdin)["recording"]["events"]:
    sample = event["values"]
    trace = sample["stackTrace"]
    if sample["eventThread"]["javaName"] != sys.argv[1] or not trace:
        continue
    if sample["biased"]:
        biased += 1
        continue
    names = []
    for frame in reversed(trace["frames"]):
        method = frame["method"]
        owner = method["type"]["name"].replace("/", ".")
        owner = re.sub(r"(\$\$Lambda).*", r"\1", owner)
        names.append(f"{owner}.{method['name']}{marks.get(frame['type'], '')}")
    stacks[";".join(names)] += 1
for stack, count in stacks.items():
    print(stack, count)
print(f"{biased} biased, {sum(stacks.values())} not", file=sys.stderr)
