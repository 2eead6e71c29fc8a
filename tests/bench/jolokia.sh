#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/bench/jolokia.sh SJKC [ROUNDS]
#
# Compares mxdump of 5,000 MBeans through the real Jolokia agent with
# jolokia.js, interleaved: with bulk requests of 100 reads; with those, and bulk
# requests for 100 descriptions, as mxdump sends them; with one request for all
# MBeans; and with mxdump over RMI of the same JVM.  Then measures a scrape of mxprx's /metrics, and ttop, at 1,000
# threads, and compares requests per CPU second of mxprx -s --http with the
# agent's, with those of mxprx -u, and with those of haproxy in front of the
# agent, interleaved.  The last two are ceilings: they receive and send as many
# messages as a bridge must, and translate nothing.  CPU times are
# those of the whole process; "in the JVM" is the CPU time of the target JVM
# meanwhile.
set -u
cd "$(dirname "$0")/../.." || exit 2
sjkc=$(realpath "$1")
rounds=${2:-7}
scratch=$(mktemp -d)
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
trap 'target_end_all; rm -rf "$scratch"' EXIT
modules=${NODE_PATH:-$PWD/build/browser/node_modules}
if [ -z "$(jdks)" ] || [ ! -e "${jolokia_jars%%:*}" ] ||
	! command -v node >/dev/null || [ ! -d "$modules/jolokia.js" ]; then
	echo 'jolokia: no JDK, libjolokia-core-java, node or jolokia.js'
	exit
fi
jdk=$(jdks | head -n 1)

# start PROGRAM ARGUMENT: starts a JVM with the agent at $url and RMI at
# $rmi_port
start() {
	rmi_port=$(free_port)
	jmx=-Dcom.sun.management.jmxremote
	# shellcheck disable=SC2086 # words
	jolokia_target "$jdk" "$1" ${java_options-} $jmx.port="$rmi_port" \
		$jmx.rmi.port="$rmi_port" $jmx.ssl=false $jmx.host=127.0.0.1 \
		$jmx.authenticate=false -Djava.rmi.server.hostname=127.0.0.1 \
		-- ${2-} || { echo 'jolokia: no target'; exit; }
}

cat >"$scratch/dump.js" <<'END'
const fs = require("fs")
const loaded = require("jolokia.js")
const Jolokia = loaded.default || loaded
const [url, how, file] = process.argv.slice(2)
const jolokia = new Jolokia({ url })
const options = { method: "post", config: { ignoreErrors: true } }

// An agent of version 1 sends text/plain, which jolokia.js does not parse.
async function ask(request) {
	const answer = await jolokia.request(request, options)
	return typeof answer === "string" ? JSON.parse(answer) : answer
}

async function dump() {
	if (how === "one")
		return (await ask({ type: "read", mbean: "sjkc.many:*" })).value
	const found = (await ask({ type: "search", mbean: "sjkc.many:*" })).value
	const beans = {}
	for (let i = 0; i < found.length; i += 100) {
		const names = found.slice(i, i + 100)
		// mxdump prints classes, and values by their declared types.
		if (how === "list")
			await ask(names.map(mbean => ({ type: "list",
				path: mbean.replace(":", "/") })))
		const values = await ask(names.map(mbean =>
			({ type: "read", mbean })))
		names.forEach((name, k) => { beans[name] = values[k].value })
	}
	return beans
}

dump().then(beans => fs.writeFileSync(file, JSON.stringify(beans)))
END

cat >"$scratch/bench.py" <<'END'
import os
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

what, sjkc, rounds, pid, url, rmi_port, scratch = sys.argv[1:]
rounds = int(rounds)


def cpu(pid):
    with open("/proc/%s/stat" % pid) as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def run(command):
    """Wall time, CPU time, and CPU time in the JVM, of a command."""
    before, theirs = resource.getrusage(resource.RUSAGE_CHILDREN), cpu(pid)
    began = time.monotonic()
    subprocess.run(command, check=True)
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (wall, after.ru_utime + after.ru_stime - before.ru_utime -
            before.ru_stime, cpu(pid) - theirs)


def relay(to):
    """Listens; counts the POST requests that pass to a port."""
    listener, count = socket.create_server(("127.0.0.1", 0)), [0]

    def copy(a, b, counts):
        tail = b""
        while got := a.recv(65536):
            if counts:
                count[0] += (tail + got).count(b"POST /jolokia")
                tail = got[-12:]
            b.sendall(got)
        b.shutdown(socket.SHUT_WR)

    def accept():
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", to))
            for args in (client, server, True), (server, client, False):
                threading.Thread(target=copy, args=args,
                                 daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1], count


def dumps():
    port = int(url.split(":")[2].split("/")[0])
    script = [ "node", scratch + "/dump.js" ]
    commands = {
        "sjkc -u": lambda at: [sjkc, "mxdump", "-u", at, "-q", "sjkc.many:*",
                               "-o", scratch + "/ours"],
        "jolokia.js, bulk": lambda at: script + [at, "bulk",
                                                 scratch + "/bulk"],
        "jolokia.js, list, bulk": lambda at: script + [at, "list",
                                                       scratch + "/list"],
        "jolokia.js, one read": lambda at: script + [at, "one",
                                                     scratch + "/one"],
        "sjkc -s (RMI)": lambda at: [sjkc, "mxdump", "-s",
                                     "127.0.0.1:" + rmi_port, "-q",
                                     "sjkc.many:*", "-o", scratch + "/rmi"],
    }
    requests = {}
    for name, command in commands.items():
        between, count = relay(port)
        for _ in range(3):  # which warm the JVM
            count[0] = 0
            run(command(url.replace(":%d/" % port, ":%d/" % between)))
        requests[name] = count[0]
    took = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            took[name].append(run(command(url)))
    print("mxdump of 5,000 MBeans, Jolokia 1.x, %d rounds (medians)" % rounds)
    for name, times in took.items():
        wall, own, theirs = (statistics.median(t[i] for t in times)
                             for i in range(3))
        print("  %-22s wall %7.0f ms   CPU %6.0f ms   in the JVM %6.0f ms   "
              "%s requests" % (name, wall * 1e3, own * 1e3, theirs * 1e3,
                               requests[name] or "-"))
    for name in "ours", "bulk", "list", "one", "rmi":
        with open(scratch + "/" + name) as f:
            assert f.read().count("type=Many") >= 5000, name


def tree(pid):
    with open("/proc/%s/task/%s/children" % (pid, pid)) as f:
        return [pid] + [one for child in f.read().split()
                        for one in tree(child)]


def scrapes(name, options, count=100):
    p = subprocess.Popen([sjkc, "mxprx"] + options, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True)
    try:
        at = p.stdout.readline().split(" is at ")[1].strip()
        at = at.replace("/jolokia", "/metrics")
        took = []
        for i in range(count + 20):
            if i == 20:  # the JVM is warm
                own = sum(map(cpu, tree(str(p.pid))))
                theirs = cpu(pid)
            began = time.monotonic()
            with urllib.request.urlopen(at) as response:
                body = response.read()
            took.append(time.monotonic() - began)
        own = sum(map(cpu, tree(str(p.pid)))) - own
        theirs = cpu(pid) - theirs
        print("  %-22s wall %7.1f ms   CPU %6.1f ms   in the JVM %6.1f ms   "
              "%d bytes" % (name, statistics.median(took[20:]) * 1e3,
                            own / count * 1e3, theirs / count * 1e3,
                            len(body)))
    finally:
        p.terminate()
        p.wait()


def intervals(name, options, count=30):
    """The CPU time of an interval, without the start."""
    def top(intervals):
        return run(["sh", "-c", '"$0" ttop "$@" >/dev/null', sjkc, "-b",
                    "-ri", "1s", "-si", "1s", "--iterations",
                    str(intervals)] + options)
    top(10)
    _, first, _ = top(1)
    _, own, theirs = top(count + 1)
    print("  %-22s CPU %6.1f ms = %.2f %%   in the JVM %6.1f ms" %
          (name, (own - first) / count * 1e3, (own - first) / count * 1e2,
           theirs / (count + 1) * 1e3))


BODIES = {
    "one attribute": '{"type":"read","mbean":"java.lang:type=Memory",'
                     '"attribute":"HeapMemoryUsage"}',
    "20 attributes of 4 MBeans": "[%s]" % ",".join(
        '{"type":"read","mbean":"java.lang:type=%s","attribute":"%s"}' %
        (bean, attribute)
        for bean, attributes in (
            ("Memory", "HeapMemoryUsage NonHeapMemoryUsage Verbose "
             "ObjectPendingFinalizationCount"),
            ("Threading", "ThreadCount PeakThreadCount DaemonThreadCount "
             "TotalStartedThreadCount CurrentThreadCpuTime "
             "ThreadContentionMonitoringEnabled"),
            ("OperatingSystem", "AvailableProcessors SystemLoadAverage "
             "ProcessCpuTime OpenFileDescriptorCount MaxFileDescriptorCount"),
            ("Runtime", "Uptime StartTime VmName VmVersion Name"))
        for attribute in attributes.split()),
}


def whole_cpu(pid):
    """With that of processes which have ended, once they are waited for."""
    ticks = 0
    for one in tree(pid):
        with open("/proc/%s/stat" % one) as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def load(at, seconds):
    said = subprocess.run(
        ["wrk", "-t1", "-c4", "-d%ds" % seconds, "-s",
         scratch + "/post.lua", at], capture_output=True, text=True,
        check=True).stdout
    assert "Non-2xx" not in said and "Socket errors" not in said, said
    time.sleep(0.5)  # workers end
    return int(re.search(r"(\d+) requests in", said)[1])


def serve(options):
    """mxprx and the URL that it serves."""
    p = subprocess.Popen([sjkc, "mxprx"] + options, stdout=subprocess.PIPE,
                         text=True)
    return p, p.stdout.readline().split(" is at ")[1].strip()


def serve_relay():
    """haproxy in front of the agent, and its URL; or None."""
    haproxy = shutil.which("haproxy") or "/usr/sbin/haproxy"
    if not os.path.exists(haproxy):
        return None, None
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    agent = url.split("/")[2]
    with open(scratch + "/haproxy.cfg", "w") as f:
        f.write("global\n  nbthread 1\n  maxconn 1000\n"
                "defaults\n  mode http\n  timeout connect 5s\n"
                "  timeout client 60s\n  timeout server 60s\n"
                "  http-reuse always\n"
                "listen one\n  bind 127.0.0.1:%d\n  server agent %s\n" %
                (port, agent))
    p = subprocess.Popen([haproxy, "-db", "-f", scratch + "/haproxy.cfg"],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.1)
    return p, url.replace(agent, "127.0.0.1:%d" % port)


def bridges(name):
    with open(scratch + "/post.lua", "w") as f:
        f.write('wrk.method = "POST"\nwrk.body = [=[%s]=]\n' % BODIES[name])
    bridge, bridge_url = serve(["-s", "127.0.0.1:" + rmi_port, "--http", "0"])
    proxy, proxy_url = serve(["-u", url, "-b", "0"])
    relay, relay_url = serve_relay()
    try:
        servers = {"agent": (url, pid), "bridge": (bridge_url, bridge.pid),
                   "proxy": (proxy_url, proxy.pid)}
        if relay:
            servers["relay"] = relay_url, relay.pid
        ends = {where: [] for where in servers}
        for at, _ in servers.values():  # which warm the JVM
            load(at, 10)
        for _ in range(rounds):
            for where, (at, server) in servers.items():
                own, theirs = whole_cpu(str(server)), cpu(pid)
                count = load(at, 3)
                ends[where].append((count / (whole_cpu(str(server)) - own),
                                    (cpu(pid) - theirs) / count))
        rates, inside = ({where: statistics.median(end[i] for end in found)
                          for where, found in ends.items()} for i in (0, 1))
        print("  %s: requests per CPU second of the agent %d, of mxprx --http "
              "%d: %.1f times (aim: 3); per request in the JVM: %.0f us and "
              "%.0f us" %
              (name, rates["agent"], rates["bridge"],
               rates["bridge"] / rates["agent"], inside["agent"] * 1e6,
               inside["bridge"] * 1e6))
        for where, title in (("proxy", "mxprx -u"), ("relay", "haproxy")):
            if where in rates:
                print("    %s, which passes the same requests on without "
                      "translation: %d, %.1f times" %
                      (title, rates[where], rates[where] / rates["agent"]))
    finally:
        for p in bridge, proxy, relay:
            if p:
                p.terminate()
                p.wait()


if what == "dumps":
    dumps()
elif what == "bridges":
    print("mxprx -s --http beside the agent, %d rounds (medians)" % rounds)
    for name in BODIES:
        bridges(name)
else:
    print("a scrape of /metrics at 1,000 threads, 100 scrapes (wall: median, "
          "CPU: mean)")
    scrapes("mxprx -p --http", ["-p", pid, "--http", "0"])
    scrapes("mxprx -s --http", ["-s", "127.0.0.1:" + rmi_port, "--http", "0"])
    scrapes("mxprx -u", ["-u", url, "-b", "0"])
    print("ttop at 1,000 threads, an interval of 1 s (mean of 30; at most 1 % "
          "with -u)")
    intervals("ttop -u", ["-u", url])
    intervals("ttop -s (RMI)", ["-s", "127.0.0.1:" + rmi_port])
END

bench() {
	NODE_PATH=$modules python3 "$scratch/bench.py" "$1" "$sjkc" "$rounds" \
		"$pid" "$url" "$rmi_port" "$scratch" || exit
	target_end_all
}

start Beans many=5000
bench dumps
start Target threads=1000
bench scrapes
command -v wrk >/dev/null || { echo 'jolokia: no wrk'; exit; }
# Unlike the other targets, with C2, and without waits for acknowledgements
# (JDK-7068416): a JVM that serves few requests per second stays cold.
java_options='-XX:TieredStopAtLevel=4 -Dsun.net.httpserver.nodelay=true'
start Target
bench bridges
