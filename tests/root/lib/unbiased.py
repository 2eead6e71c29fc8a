#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
#	jfr print --json --stack-depth 2048 --events jdk.CPUTimeSample FILE |
#		unbiased.py THREAD
#
# Prints the samples of a thread as collapsed stack traces with marks.  Omits
# samples that the JVM marks as biased: it could not walk the stack at the thread's
# position and used the stack of the next safepoint.  Prints their number to stderr.
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
