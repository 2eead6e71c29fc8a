#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/http_proxy.sh SJKC [ROUNDS [SECONDS]]
#
# Compares mxprx -u with haproxy, interleaved: requests per CPU second of the
# proxy, and the time that each adds to a request.  The requests are Jolokia
# requests by POST; mxprx checks their bodies, haproxy does not read them.  The
# agent is http_peer, which uses little CPU time.
set -u
cd "$(dirname "$0")/../.." || exit 2
sjkc=$(realpath "$1")
rounds=${2:-5}
seconds=${3:-2}
for tool in wrk haproxy python3; do
	command -v $tool >/dev/null || { echo "http_proxy: no $tool"; exit; }
done
out=build/bench
mkdir -p $out
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -o $out/http_peer tests/bench/http_peer.c ||
	exit
exec python3 - "$sjkc" "$rounds" "$seconds" $out <<'END'
import os
import re
import socket
import statistics
import subprocess
import sys
import time

sjkc, rounds, seconds, out = (sys.argv[1], int(sys.argv[2]), sys.argv[3],
                              sys.argv[4])
BODY = ('[{"type":"read","mbean":"java.lang:type=Memory",'
        '"attribute":"HeapMemoryUsage"},{"type":"read",'
        '"mbean":"java.lang:type=Threading","attribute":"ThreadCount"}]')


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def listens(port):
    for _ in range(200):
        with socket.socket() as s:
            if not s.connect_ex(("127.0.0.1", port)):
                return
        time.sleep(0.05)
    sys.exit("port %d: nobody listens" % port)


def cpu(pid):
    with open("/proc/%d/stat" % pid) as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def load(port):
    """Requests that were answered in the time of a round."""
    said = subprocess.run(
        ["wrk", "-t1", "-c32", "-d%ss" % seconds, "-s", out + "/post.lua",
         "http://127.0.0.1:%d/jolokia" % port], capture_output=True,
        text=True, check=True).stdout
    assert "Non-2xx" not in said, said
    return int(re.search(r"(\d+) requests in", said)[1])


def small(port, count=2000):
    """The median time of a request, one after the other."""
    s = socket.create_connection(("127.0.0.1", port))
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    request = ("POST /jolokia HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
               "%d\r\n\r\n%s" % (len(BODY), BODY)).encode()
    took = []
    for _ in range(count):
        began = time.perf_counter()
        s.sendall(request)
        got = b""
        while not got.endswith(b" " * 100):
            got += s.recv(65536)
        took.append(time.perf_counter() - began)
    s.close()
    return statistics.median(took)


with open(out + "/post.lua", "w") as f:
    f.write('wrk.method = "POST"\nwrk.headers["Content-Type"] = '
            '"application/json"\nwrk.body = [=[%s]=]\n' % BODY)
agent, ours, theirs = free_port(), free_port(), free_port()
with open(out + "/haproxy.cfg", "w") as f:
    f.write("global\n  nbthread 1\ndefaults\n  mode http\n"
            "  timeout connect 5s\n  timeout client 60s\n"
            "  timeout server 60s\n  http-reuse safe\n"
            "frontend f\n  bind 127.0.0.1:%d\n  default_backend b\n"
            "backend b\n  server s 127.0.0.1:%d\n" % (theirs, agent))
peer = subprocess.Popen([out + "/http_peer", str(agent), "500"])
started = {
    "sjkc": (ours, subprocess.Popen(
        [sjkc, "mxprx", "-u", "http://127.0.0.1:%d/jolokia" % agent,
         "-b", str(ours)], stdout=subprocess.DEVNULL)),
    "haproxy": (theirs, subprocess.Popen(
        ["haproxy", "-db", "-f", out + "/haproxy.cfg"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)),
    "none": (agent, None),
}
try:
    for port, _ in started.values():
        listens(port)
    rates = {"sjkc": [], "haproxy": []}
    times = {name: [] for name in started}
    for _ in range(rounds):
        for name, (port, p) in started.items():
            if p:
                before = cpu(p.pid)
                count = load(port)
                rates[name].append(count / (cpu(p.pid) - before))
            times[name].append(small(port))
    median = statistics.median
    print("mxprx -u: Jolokia requests by POST, medians of %d rounds" % rounds)
    print("            requests per CPU second   request    added")
    for name in started:
        rate = "%d" % median(rates[name]) if name in rates else "-"
        call, direct = median(times[name]), median(times["none"])
        print("  %-8s %23s %6.0f us %5.0f us" %
              (name, rate, call * 1e6, (call - direct) * 1e6))
    print("  beside haproxy: %.2f (at least 0.80); added at most 200 us" %
          (median(rates["sjkc"]) / median(rates["haproxy"])))
finally:
    for p in [peer] + [p for _, p in started.values() if p]:
        p.terminate()
        p.wait()
END
