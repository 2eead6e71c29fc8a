#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
#	prof.py SJKC JDK CLASSES SECONDS [push [locks] | why]
#
# Measures the cost of sampling for a program and for sjkc; with "push", of
# prof --push at 19 Hz, also with sjkc on one CPU; with "locks", of a program whose
# threads allocate and wait for a lock; with "why", of a whole run of why.  A round
# has several
# short windows; in each window the program runs alone, under prof, or under
# JFR. Every other round has the reverse order, so that drift cancels out.  Each
# round yields the work of a window relative to the mean of the two windows
# alone:
#   - per CPU time of the worker, which excludes other programs (the kernel may
#     charge interrupts to no thread);
#   - per CPU time of the process;
#   - per wall-clock time, which is meaningful only on an idle machine.
# The output is the median of all rounds by Hodges and Lehmann, and its 95 %
# interval by Wilcoxon's signed ranks.  Then follows the CPU time of whole runs.
import math
import os
import signal
import statistics
import subprocess
import sys
import time

sjkc, jdk, classes, seconds = sys.argv[1:5]
mode = sys.argv[5:]
seconds = float(seconds)
WINDOW = 8.0 if mode == ["why"] else 1.0  # why takes 7 s
OWN_RUNS = 3
until = time.monotonic() + seconds
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def begin():
    return subprocess.Popen(
        ["env", "--default-signal=QUIT,INT", f"{jdk}/bin/java", "-Xmx512m",
         "-XX:+UseSerialGC", "-cp", classes, "Throughput",
         str(int(seconds + 60)), *mode[1:]],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True)


def mark(java):
    java.stdin.write("\n")
    java.stdin.flush()
    return [int(word) for word in java.stdout.readline().split()]


def window(java):
    """Pieces a second, by each of the clocks."""
    before = mark(java)
    time.sleep(WINDOW)
    after = mark(java)
    pieces = after[0] - before[0]
    return [pieces / (after[i] - before[i]) * 1e9 for i in (1, 2, 3)]


def alone(java):
    return window(java)


def start_prof(java, hz, *options):
    return subprocess.Popen(
        [sjkc, "prof", "-p", str(java.pid), "-F", str(hz), "-o", "/dev/null",
         "--output-format", "collapsed", *options],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def end_prof(prof):
    """Its CPU time, and that of its children."""
    said = prof.stderr.read()
    _, status, used = os.wait4(prof.pid, 0)
    prof.returncode = os.waitstatus_to_exitcode(status)
    if prof.returncode not in (0, 7):
        sys.exit(said)
    return used.ru_utime + used.ru_stime


def with_prof(hz):
    def run(java):
        prof = start_prof(java, hz)
        for line in prof.stderr:
            if "press Ctrl-C to stop" in line:
                break
        time.sleep(0.2)
        rates = window(java)
        prof.send_signal(signal.SIGINT)
        end_prof(prof)
        return rates
    return run


def with_push(*before):
    """The profiles go to files: the costs of a backend are not those of sjkc."""
    def run(java):
        prof = subprocess.Popen(
            [*before, sjkc, "prof", "-p", str(java.pid), "--interval", "1s",
             "-o", f"{classes}/pushed/"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in prof.stderr:
            if "writing profiles" in line:
                break
        time.sleep(0.5)
        rates = window(java)
        prof.send_signal(signal.SIGINT)
        end_prof(prof)
        return rates
    return run


def with_why(java):
    why = subprocess.Popen([sjkc, "why", "-q", "-d", "6s", str(java.pid)], **quiet)
    rates = window(java)
    why.wait()
    return rates


def with_jfr(java):
    ask = [sjkc, "jcmd", str(java.pid)]
    subprocess.run(ask + ["JFR.start", "name=b", "settings=profile"],
                   check=True, **quiet)
    time.sleep(0.2)
    rates = window(java)
    subprocess.run(ask + ["JFR.stop", "name=b"], check=True, **quiet)
    return rates


def middle(ratios):
    """The middle, and the ends of its interval."""
    n = len(ratios)
    means = sorted((ratios[i] + ratios[k]) / 2
                   for i in range(n) for k in range(i, n))
    least = round(len(means) / 2 -
                  1.96 * math.sqrt(n * (n + 1) * (2 * n + 1) / 24))
    least = max(least, 0)
    return statistics.median(means), means[least], means[-1 - least]


def show(name, rounds, of):
    line = f"    {name:13}"
    for i in range(3):
        at, low, high = middle([r[name][i] / r[of][i] for r in rounds])
        line += f" {at:.4f} ({low:.4f} to {high:.4f}) "
    print(line.rstrip(), flush=True)


def own_cost(java, options):
    times = sorted(end_prof(start_prof(java, 99, *options))
                   for _ in range(OWN_RUNS))
    return times[OWN_RUNS // 2]


kinds = {"alone": alone, "prof, 99 Hz": with_prof(99),
         "prof, 999 Hz": with_prof(999), "alone again": alone,
         "JFR, profile": with_jfr}
if mode:
    os.makedirs(f"{classes}/pushed", exist_ok=True)
    kinds = {"alone": alone, "push": with_push(),
             "push, pinned": with_push("taskset", "-c", "0"),
             "alone again": alone}
if mode == ["why"]:
    kinds = {"alone": alone, "why": with_why, "alone again": alone}
java = begin()
rounds = []
try:
    mark(java)
    # Until all methods are compiled, and JFR has loaded its classes.
    for run in (alone, alone, *(kinds.values() if mode else
                                (with_jfr, with_prof(99))), alone):
        run(java)
    own_time = 0 if mode else OWN_RUNS * 13
    longest = 0
    while time.monotonic() + longest + own_time < until:
        began = time.monotonic()
        order = list(kinds) if len(rounds) % 2 else list(kinds)[::-1]
        rounds.append({name: kinds[name](java) for name in order})
        longest = max(longest, time.monotonic() - began)
    if not mode:
        short, whole = (own_cost(java, ["-d", d]) for d in ("2s", "10s"))
finally:
    java.kill()
    java.wait()
if len(rounds) < 6:
    sys.exit(f"only {len(rounds)} rounds: give it more time")
print(f"    {len(rounds)} rounds; pieces in 1 s of "
      "the worker's CPU time, of the process's, of the clock,\n"
      f"    {'':13} of what it does alone, with the 95 % interval")
# window() returns the wall-clock time first.
for r in rounds:
    for name in r:
        r[name] = r[name][1:] + r[name][:1]
    r["both"] = [statistics.mean(pair)
                 for pair in zip(r["alone"], r["alone again"])]
show("alone again", rounds, "alone")
for name in kinds:
    if not name.startswith("alone"):
        show(name, rounds, "both")
if not mode:
    print(f"    prof -d 10s at 99 Hz takes {whole:.3f} s of CPU in all "
          f"({whole * 10:.1f} % of a core), {(whole - short) / 8 * 100:.2f} % "
          "while it samples", flush=True)
