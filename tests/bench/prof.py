#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
#	prof.py SJKC JDK CLASSES ROUNDS SECONDS
#
# What sampling costs a program: pieces of work in each CPU second of the worker
# thread (so that other programs on the machine do not count), in windows of
# so many seconds with nothing, with prof, with JFR, one after the other, ROUNDS
# times.  The medians, the range of those without anything, and what prof
# itself needed of a core.
import os
import resource
import signal
import statistics
import subprocess
import sys

sjkc, jdk, classes, rounds, seconds = sys.argv[1:]
rounds, seconds = int(rounds), float(seconds)


def begin():
    java = subprocess.Popen(
        ["env", "--default-signal=QUIT,INT", f"{jdk}/bin/java", "-Xmx512m",
         "-XX:+UseSerialGC", "-cp", classes, "Throughput",
         str(int(60 + rounds * 6 * (seconds + 4)))],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True)
    return java


def mark(java):
    java.stdin.write("\n")
    java.stdin.flush()
    pieces, ns = java.stdout.readline().split()
    return int(pieces), int(ns)


def window(java, length):
    before = mark(java)
    signal.sigtimedwait([], length)
    after = mark(java)
    return (after[0] - before[0]) / ((after[1] - before[1]) / 1e9)


def with_nothing(java):
    return window(java, seconds), None


def with_prof(hz):
    def run(java):
        args = [sjkc, "prof", "-q", "-p", str(java.pid), "--no-agent", "-F",
                str(hz), "-d", f"{seconds + 1.5}s", "-o", "/dev/null",
                "--output-format", "collapsed"]
        prof = subprocess.Popen(args, stderr=subprocess.PIPE)
        signal.sigtimedwait([], 1)
        rate = window(java, seconds)
        _, status, used = os.wait4(prof.pid, 0)
        prof.returncode = os.waitstatus_to_exitcode(status)
        if prof.returncode not in (0, 7):
            sys.exit(prof.stderr.read().decode())
        return rate, (used.ru_utime + used.ru_stime) / (seconds + 1.5)
    return run


def with_jfr(java):
    ask = [sjkc, "jcmd", str(java.pid)]
    quiet = {"stdout": subprocess.DEVNULL, "check": True}
    subprocess.run(ask + ["JFR.start", "name=b", "settings=profile"], **quiet)
    rate = window(java, seconds)
    subprocess.run(ask + ["JFR.stop", "name=b"], **quiet)
    return rate, None


kinds = [("nothing", with_nothing), ("prof, 99 Hz", with_prof(99)),
         ("prof, 999 Hz", with_prof(999)), ("JFR, profile", with_jfr)]
java = begin()
try:
    mark(java)
    window(java, 5)
    # JFR's first start loads classes for seconds; after that it is itself.
    with_jfr(java)
    rates = {name: [] for name, _ in kinds}
    used = {name: [] for name, _ in kinds}
    for _ in range(rounds):
        for name, run in kinds:
            rate, own = run(java)
            rates[name].append(rate)
            if own is not None:
                used[name].append(own)
finally:
    java.kill()
    java.wait()
base = statistics.median(rates["nothing"])
for name, _ in kinds:
    line = (f"    {name:13} {statistics.median(rates[name]):9.0f} pieces a CPU "
            f"second, {statistics.median(rates[name]) / base:6.3f} of nothing "
            f"({min(rates[name]) / base:.3f} to {max(rates[name]) / base:.3f})")
    if used[name]:
        line += f"; prof: {100 * statistics.median(used[name]):.2f} % of a core"
    print(line, flush=True)
