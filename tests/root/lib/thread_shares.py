#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
#	thread_shares.py --save PID FILE
#	thread_shares.py BEFORE AFTER PROFILE.collapsed POINTS THREAD=METHOD…
#
# The first form saves the kernel's CPU time of each thread.  The second form
# compares the difference of two such files with a profile of the time in between:
# collapsed stack traces by thread (prof -t).  Each thread, identified by the first
# word of its name, must have its share of the CPU time, within POINTS and two
# standard errors, and nearly all of its stack traces must have its method.  Each
# Java frame must have a name.  Prints a line for a table, and the defects.
import math
import os
import re
import sys
from collections import Counter

NAMELESS = re.compile(r"\[unknown Java method\]|;Interpreter(_\[.\])?(;| )")


def save(pid, path):
    with open(path, "w", encoding="utf-8") as out:
        for tid in os.listdir(f"/proc/{pid}/task"):
            at = f"/proc/{pid}/task/{tid}/"
            try:
                with open(at + "comm", encoding="utf-8", errors="replace") as f:
                    name = re.split("[ .]", f.read())[0].strip()
                with open(at + "schedstat", encoding="ascii") as f:
                    out.write(f"{name} {f.read().split()[0]}\n")
            except OSError:
                continue  # it has ended


def times(path):
    with open(path, encoding="utf-8") as lines:
        return {n: int(t) for n, t in (line.split() for line in lines)}


def main(before, after, profile, points, *wanted):
    began, ended = times(before), times(after)
    methods = dict(w.split("=", 1) for w in wanted)
    used = {n: ended[n] - began[n] for n in methods}
    seen, right, cut, nameless, count = Counter(), Counter(), 0, 0, 0
    with open(profile, encoding="utf-8") as lines:
        for line in lines:
            stack, _, weight = line.rpartition(" ")
            # "handles..matrix" is "handles of the matrix", shortened by the JVM.
            thread = re.split("[ .]", stack[1:])[0]
            if thread not in methods:
                continue
            weight = int(weight)
            count += 1
            seen[thread] += weight
            cut += weight * ("[truncated]" in stack or "[unknown]" in stack)
            if NAMELESS.search(stack + " "):
                nameless += weight
                example = stack
            right[thread] += weight * bool(re.search(methods[thread], stack))
    total, all_used = sum(seen.values()), sum(used.values())
    if not total:
        sys.exit("no samples")
    wrong, worst = [], 0
    for n in methods:
        share, truth = 100 * seen[n] / total, 100 * used[n] / all_used
        # A sample is 1/499 s, of 1e9 ns each.
        samples = max(total * 499 / 1e9, 1)
        p = truth / 100
        error = 100 * math.sqrt(p * (1 - p) / samples)
        worst = max(worst, abs(share - truth))
        if abs(share - truth) > float(points) + 2 * error:
            wrong.append(f"{n}: {share:.1f} %, the kernel counts {truth:.1f} %")
        # The rest is the loop, which reads the clock.  The share varies: a thread
        # with 10 % of 3 s has about 150 samples.
        if right[n] < 0.7 * seen[n]:
            wrong.append(f"{n}: {100 * right[n] / seen[n]:.1f} % of its samples "
                         f"have {methods[n]}")
    if nameless:
        wrong.append(f"{100 * nameless / total:.2f} % have Java frames without "
                     f"names: {example}")
    if cut > 0.01 * total:
        wrong.append(f"{100 * cut / total:.2f} % do not reach the root")
    print("\n".join(wrong))
    print(f"| {100 * nameless / total:.2g} % unnamed, {100 * (1 - cut / total):.1f} "
          f"% to the root, {worst:.1f} points")
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "--save":
        save(*sys.argv[2:])
    else:
        sys.exit(main(*sys.argv[1:]))
