#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/proxy.sh SJKC [ROUNDS]
#
# Compares mxprx with socat, which does not inspect the bytes, and with a direct
# connection, interleaved: returns of 100 MB, the time of a small call, and the
# memory of an idle connection.  The JVM is a fake that uses little CPU time.
set -u
cd "$(dirname "$0")/../.." || exit 2
sjkc=$(realpath "$1")
rounds=${2:-9}
command -v python3 >/dev/null || { echo 'proxy: no python3'; exit; }
PYTHONPATH=tests/jvm/lib exec python3 - "$sjkc" "$rounds" <<'END'
import array
import multiprocessing
import re
import shutil
import statistics
import subprocess
import sys
from stand_in import *

sjkc, rounds = sys.argv[1], int(sys.argv[2])
MEGABYTES, CALLS, IDLE = 100, 2000, 500
PIECE = bytes(1 << 20)


def serve(queue):
    jvm = Jvm(host=b"127.0.0.1")
    head = b"ur\0\2[B\xac\xf3\x17\xf8\6\10T\xe0\2\0\0xp"

    def answer(message, usual=jvm.answer):
        if message.endswith(b"largep"):
            return ([returned(head + struct.pack(">I", MEGABYTES << 20))] +
                    [PIECE] * MEGABYTES)
        return usual(message)
    jvm.answer = answer
    queue.put(jvm.port)
    time.sleep(1000)


def cpu(pid):
    """Seconds of a process and of what it has waited for."""
    with open("/proc/%d/stat" % pid) as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def large(port):
    s = greeted(port)
    buffer = bytearray(1 << 20)
    s.sendall(attribute(b"a:b=c", b"large"))
    left = (MEGABYTES << 20) + len(returned(b"")) + 22
    began = time.monotonic()
    while left > 0:
        left -= s.recv_into(buffer)
    took = time.monotonic() - began
    s.close()
    return took


def small(port):
    s = greeted(port)
    said = attribute(b"java.lang:type=Memory", b"HeapMemoryUsage")
    answer = returned(string(b"a value"))
    took = array.array("d")
    for _ in range(CALLS):
        began = time.perf_counter()
        ask(s, said, answer)
        took.append(time.perf_counter() - began)
    s.close()
    return statistics.median(took)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def relay_of_socat(to):
    port = free_port()
    p = subprocess.Popen(["socat", "TCP-LISTEN:%d,fork,reuseaddr,nodelay,"
                          "bind=127.0.0.1" % port,
                          "TCP:127.0.0.1:%d,nodelay" % to])
    assert until(lambda: not socket.socket().connect_ex(("127.0.0.1", port)))
    return port, p


def relay_of_ours(to):
    p = subprocess.Popen([sjkc, "mxprx", "-s", "127.0.0.1:%d" % to, "-b", "0",
                          "--max-clients-of-host", "2000"],
                         stdout=subprocess.PIPE, text=True)
    return int(re.search(r":(\d+)$", p.stdout.readline().strip())[1]), p


def idle(port, p):
    works(port)
    time.sleep(0.5)
    before = resident_kib(p.pid)
    kept = []
    for _ in range(IDLE):
        s = greeted(port)
        ask(s, LOOKUP, returned(server_stub(b"127.0.0.1", port)))
        kept.append(s)
    return (resident_kib(p.pid) - before) / IDLE


queue = multiprocessing.Queue()
jvm = multiprocessing.Process(target=serve, args=(queue,), daemon=True)
jvm.start()
target = queue.get()
relays = {"none": (target, None), "sjkc": relay_of_ours(target)}
if shutil.which("socat"):
    relays["socat"] = relay_of_socat(target)
took = {name: ([], [], []) for name in relays}
for _ in range(rounds):
    for name, (port, p) in relays.items():
        before = cpu(p.pid) if p else 0
        took[name][0].append(large(port))
        time.sleep(0.1)
        took[name][2].append(cpu(p.pid) - before if p else 0)
        took[name][1].append(small(port))
print("mxprx: returns of %d MB and small calls, medians of %d rounds" %
      (MEGABYTES, rounds))
print("              MB/s   CPU s/100 MB   call    added")
direct = statistics.median(took["none"][1])
for name in relays:
    times, calls, used = map(statistics.median, took[name])
    print("  %-8s %8.0f   %12.3f %5.0f us %5.0f us" %
          (name, MEGABYTES / times, used, calls * 1e6,
           (calls - direct) * 1e6))
if "socat" in relays:
    ours, peer = (statistics.median(took[n][0]) for n in ("sjkc", "socat"))
    print("  throughput beside socat: %.2f (at least 0.80); added at most "
          "100 us" % (peer / ours))
print("  an idle connection: %.1f KiB (at most 20)" %
      idle(*relays["sjkc"]))
for name, (port, p) in relays.items():
    if p:
        p.kill()
        p.wait()
jvm.kill()
END
