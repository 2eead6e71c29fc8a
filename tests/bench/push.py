#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
#	push.py SJKC[,SJKC...] JDK CLASSES COUNTS RUNS SECONDS [LIBRARY]
#
# Measures `prof --all --push` with 1, 5, ... JVMs (COUNTS, with commas between
# them), each 1 % busy.  Several binaries take turns.  For each run:
#   - the CPU time until the JVMs are sampled;
#   - the CPU time of sjkc's processes in SECONDS, in percent of a core, after the
#     first windows, with what its BPF programs used, by the kernel's statistics;
#   - the same CPU time for each sample, of the whole run;
#   - the proportional memory (PSS) of sjkc's processes at the end.
# The sum includes BPF programs of others, if any run.  An HTTP server in this
# process receives the requests.
#
# With LIBRARY, async-profiler's libasyncProfiler.so, also measures what the JVMs
# use more with this agent, at the same frequency: the CPU time until they have
# started, the CPU time in SECONDS, and the memory.  JVMs with the agent and
# without it take turns; their work is a number of loops, not of milliseconds.
import http.server
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time

binaries, jdk, classes, counts, runs, seconds = sys.argv[1:7]
library = sys.argv[7] if len(sys.argv) > 7 else ""
binaries = binaries.split(",")
counts = [int(count) for count in counts.split(",")]
runs, seconds = int(runs), float(seconds)
INTERVAL = 10
# Processes that have been sampled for 30 s cost less.
SETTLE = 35
OPTIONS = ["-Xmx16m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
HZ = 19
# About a millisecond.
LOOPS = 5000


class Engine(http.server.BaseHTTPRequestHandler):
    received = 0

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        Engine.received += 1
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


def processes(pid):
    """sjkc and its children: each has one thread."""
    pids = [pid]
    for p in pids:
        try:
            with open(f"/proc/{p}/task/{p}/children") as f:
                pids += [int(word) for word in f.read().split()]
        except OSError:
            pass
    return pids


def cpu(pid):
    """Seconds of CPU time of sjkc's processes, to the nanosecond."""
    total = 0
    for p in processes(pid):
        try:
            with open(f"/proc/{p}/schedstat") as f:
                total += int(f.read().split()[0]) / 1e9
            with open(f"/proc/{p}/stat") as f:
                times = f.read().rsplit(")", 1)[1].split()
            total += (int(times[13]) + int(times[14])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            pass
    return total


def memory(pids):
    total = 0
    for p in pids:
        try:
            with open(f"/proc/{p}/smaps_rollup") as f:
                total += int(re.search(r"\nPss: *(\d+)", f.read()).group(1))
        except OSError:
            pass
    return total / 1024


def kernel():
    """Seconds that BPF programs ran, if the kernel counts that."""
    shown = subprocess.run(["bpftool", "prog", "show"], capture_output=True,
                           text=True).stdout
    return sum(int(ns) for ns in re.findall(r"run_time_ns (\d+)", shown)) / 1e9


def load():
    with open("/proc/loadavg") as f:
        return f.read().split()[0]


def start_jvms(count, options=(), arguments=()):
    jvms = [subprocess.Popen(
        ["env", "--default-signal=QUIT,INT", f"{jdk}/bin/java", *OPTIONS,
         *options, "-cp", classes, "QuietProgram", *arguments],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(count)]
    # sjkc opens young JVMs again.
    time.sleep(9 + count / 4)
    return jvms


def end_jvms(jvms):
    for jvm in jvms:
        jvm.kill()
        jvm.wait()


def run(sjkc, count, port):
    """CPU time at the beginning, percent, percent of BPF programs, ms of CPU
    time for each sample, MB."""
    prof = subprocess.Popen(
        [sjkc, "prof", "--all", "--push", f"http://127.0.0.1:{port}",
         "--interval", f"{INTERVAL}s", "--cpu-limit", "100000%"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = ""
    while "sending profiles" not in said:
        line = prof.stderr.readline()
        said += line
        if not line:
            sys.exit(said)
    start, began = time.monotonic(), cpu(prof.pid)
    time.sleep(SETTLE)
    at, used, bpf = time.monotonic(), cpu(prof.pid), kernel()
    time.sleep(seconds)
    end = time.monotonic()
    used, bpf = cpu(prof.pid) - used, kernel() - bpf
    mb = memory(processes(prof.pid))
    prof.send_signal(signal.SIGINT)
    said += prof.stderr.read()
    if prof.wait() not in (0, 7):
        sys.exit(said)
    for line in re.findall(r".* lost: .*", said):
        print(f"    {line}", flush=True)
    taken = int(re.search(r"delivered \d+ of (\d+) samples", said).group(1))
    ms = 1000 * used / (end - at) / (taken / (end - start))
    return began, 100 * used / (end - at), 100 * bpf / (end - at), ms, mb


def jvms_cpu(jvms):
    """Seconds of CPU time of the JVMs; the clock of a process has this number."""
    return sum(time.clock_gettime(~jvm.pid << 3 | 2) for jvm in jvms)


def run_jvms(count, *options):
    """CPU time until the JVMs have started, percent, MB."""
    jvms = start_jvms(count, options, ["1", str(LOOPS)])
    try:
        began = jvms_cpu(jvms)
        at, used = time.monotonic(), began
        time.sleep(seconds)
        used, at = jvms_cpu(jvms) - used, time.monotonic() - at
        return began, 100 * used / at, memory([jvm.pid for jvm in jvms])
    finally:
        end_jvms(jvms)


def run_agent(count):
    """The JVMs, and what they use more with async-profiler."""
    agent = (f"-agentpath:{library}=start,event=cpu,interval={10**9 // HZ}ns,"
             f"loop={INTERVAL}s,jfr,file={classes}/%p.jfr")
    without = run_jvms(count)
    began, percent, mb = (b - a for a, b in zip(without,
                                                run_jvms(count, agent)))
    return began, percent, 0, 0, mb


def show(name, count, results):
    columns = list(zip(*results))
    print(f"    {count:4} {name:8}" + "".join(
        f"   {min(c):7.{digits}f} {statistics.median(c):7.{digits}f}"
        for c, digits in zip(columns, (2, 2, 3, 2, 1))) + f"   {load()}",
        flush=True)


engine = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Engine)
threading.Thread(target=engine.serve_forever, daemon=True).start()
print(f"    {runs} runs of {seconds:.0f} s: minimum and median\n"
      "    JVMs              CPU s at start   % of a core      of it BPF        "
      "ms a sample       PSS in MB         load")
for count in counts:
    jvms = start_jvms(count)
    try:
        results = {sjkc: [] for sjkc in binaries}
        for i in range(runs):
            for sjkc in binaries if i % 2 == 0 else binaries[::-1]:
                results[sjkc].append(run(sjkc, count, engine.server_port))
        for i, sjkc in enumerate(binaries):
            show("sjkc" if len(binaries) == 1 else f"no. {i + 1}", count,
                 results[sjkc])
    finally:
        end_jvms(jvms)
    if library:
        show("async-p.", count, [run_agent(count) for _ in range(runs)])
    if not Engine.received:
        sys.exit("no request arrived")
