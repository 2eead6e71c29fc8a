# SPDX-License-Identifier: Apache-2.0
"""Ends calls of `sjkc mcp` in each state, and looks for what is left of them.

mcp_ends.py SJKC PID[,PID] DIRECTORY CASE…: each case is a function below, or
cancels=COUNT or calls=COUNT; the second JVM is compared.
"""
import glob
import json
import os
import random
import select
import subprocess
import sys
import time

sjkc, directory = sys.argv[1], sys.argv[3]
pid, *others = map(int, sys.argv[2].split(","))
MARK = f"SJKC_TEST_OF={os.getpid()}"
LIMIT_S = 60  # on a busy machine
PROBE = ("probe", {"method": "Calls*.*", "seconds": 60}, "instrumented")


class Server:
    def __init__(self, *options):
        name, value = MARK.split("=")
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            [sjkc, "mcp", *options], stdin=-1, stdout=-1,
            stderr=subprocess.DEVNULL, env={**os.environ, name: value})
        self.id = 0
        self.lines = b""

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message):
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def read(self, seconds=LIMIT_S):
        """The next message; None if there is none for so long."""
        out = self.process.stdout
        while b"\n" not in self.lines:
            if not select.select([out], [], [], seconds)[0]:
                return None
            part = os.read(out.fileno(), 1 << 16)
            assert part, "the server has ended"
            self.lines += part
        line, _, self.lines = self.lines.partition(b"\n")
        return json.loads(line)

    def initialize(self):
        self.send(id=0, method="initialize",
                  params={"protocolVersion": "2025-06-18"})
        assert self.read()["id"] == 0
        return self

    def call(self, tool, **arguments):
        self.id += 1
        self.send(id=self.id, method="tools/call", params={
            "name": tool, "arguments": arguments,
            "_meta": {"progressToken": self.id}})
        return self.id

    def cancel(self, number):
        self.send(method="notifications/cancelled",
                  params={"requestId": number})

    def ping(self):
        """A cancelled call has no answer; only progress may be older."""
        self.id += 1
        self.send(id=self.id, method="ping")
        while (m := self.read()).get("id") != self.id:
            assert m.get("method") == "notifications/progress", m

    def children(self):
        path = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        with open(path, encoding="ascii") as f:
            return [int(child) for child in f.read().split()]

    def end(self, how):
        """Ends the server; returns the time until all of it has ended."""
        began = time.monotonic()
        if how == "EOF":
            self.process.stdin.close()
        else:
            self.process.send_signal({"TERM": 15, "KILL": 9}[how])
        self.process.stdout.read()
        status = self.process.wait(LIMIT_S)
        # A server that begins does not catch SIGTERM.
        assert status in {"EOF": [0], "TERM": [0, -15], "KILL": [-9]}[how], status
        wait_until(lambda: not descendants(), "a process of sjkc runs")
        return time.monotonic() - began


def read_file(path):
    try:
        with open(path, "rb") as f:
            return f.read().decode(errors="replace")
    except OSError:
        return ""


def links(path):
    for link in glob.glob(path):
        try:
            yield os.readlink(link)
        except OSError:
            pass


def wait_until(condition, message):
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < LIMIT_S, message
        time.sleep(0.01)


def descendants():
    """Processes of servers, found by their environment; zombies have none."""
    return [int(path.split("/")[2]) for path in glob.glob("/proc/[0-9]*/environ")
            if MARK in read_file(path).split("\0")]


def breakpoints():
    """Counts bytes of libjvm's code that differ from the file: uprobes."""
    count = 0
    for line in read_file(f"/proc/{pid}/maps").splitlines():
        if "r-xp" not in line or not line.endswith("/libjvm.so"):
            continue
        words = line.split()
        begin, end = (int(n, 16) for n in words[0].split("-"))
        with open(f"/proc/{pid}/mem", "rb") as memory, \
                open(f"/proc/{pid}/root{words[5]}", "rb") as file:
            memory.seek(begin)
            file.seek(int(words[2], 16))
            code, wanted = memory.read(end - begin), file.read(end - begin)
        count += sum(a != b for a, b in zip(code, wanted)) \
            if code[:len(wanted)] != wanted else 0
    return count


def is_ours(name):
    """Whether a path is of sjkc: the JDK may be in a directory of the tests."""
    return "sjkc" in name.replace("/sjkc-jdks-", "")


def left(may_be_loaded):
    """What sjkc has left in the JVM, and for it in its file system."""
    found = [name for name in links(f"/proc/{pid}/fd/*") if is_ours(name)]
    found += [name for name in map(read_file, glob.glob(f"/proc/{pid}/task/*/comm"))
              if name.startswith("sjkc")]
    for place in "root/tmp", "cwd":
        found += [path for path in glob.glob(f"/proc/{pid}/{place}/.*")
                  if ".sjkc" in path or path.endswith(f".attach_pid{pid}")]
    if not may_be_loaded:
        found += [line for line in read_file(f"/proc/{pid}/maps").splitlines()
                  if is_ours(line)]
    if breakpoints():
        found.append(f"{breakpoints()} breakpoints in libjvm.so")
    return found


def check_jvm(may_be_loaded=False):
    began = time.monotonic()
    while found := left(may_be_loaded):
        assert time.monotonic() - began < LIMIT_S, found
        time.sleep(0.1)
    # The only class of sjkc is the helper of probes.
    classes = subprocess.run([sjkc, "jcmd", str(pid), "GC.class_histogram"],
                             stdout=-1, check=True).stdout.decode()
    classes = [line.split()[3] for line in classes.splitlines()
               if "sjkc" in line.lower()]
    assert set(classes) <= ({"java.lang.SjkcProbe"} if may_be_loaded else set()), \
        classes


def shows(server, sign, message):
    """Whether the child does what the sign names."""
    child = server.children()[0]
    if sign == "bpf":
        return any("bpf" in name for name in links(f"/proc/{child}/fd/*"))
    if sign == "stopped":
        return any("socket" in name for name in links(f"/proc/{child}/fd/*"))
    return sign is None or message and sign in message["params"]["message"]


def await_work(server, sign):
    """The child once it works; None if a stopped JVM was noticed before."""
    for _ in range(LIMIT_S * 100):
        message = server.read(0.01)
        if message and "result" in message:
            assert sign == "stopped", message
            return None
        try:
            if shows(server, sign, message):
                return server.children()[0]
        except IndexError:
            pass
    raise AssertionError("the call does not work")


def end_call(how, tool, arguments, sign, rights="stop,load,probe"):
    """Ends one call of a server, and checks what is left."""
    server = Server("--allow", rights, "--dir", directory).initialize()
    if sign == "stopped":
        os.kill(pid, 19)
    number = server.call(tool, pid=pid, **arguments)
    child = await_work(server, sign)
    if child is None:
        took = server.end("EOF")
    elif how == "cancel":
        exited = os.pidfd_open(child)
        began = time.monotonic()
        server.cancel(number)
        select.select([exited], [], [], LIMIT_S)
        took = time.monotonic() - began
        os.close(exited)
        server.ping()
        wait_until(lambda: not server.children(), "a child runs")
        wait_until(lambda: descendants() == [server.process.pid],
                   "a process of the call runs")
        server.end("EOF")
    else:
        took = server.end(how)
    if sign == "stopped":
        os.kill(pid, 18)
    loads = tool == "probe" or arguments.get("event") == "alloc"
    end_call.loaded |= loads
    check_jvm(end_call.loaded)
    print("| %s of %s%s after %.2f s" % (
        how, tool, " of a stopped JVM" if sign == "stopped" else "", took))


end_call.loaded = False


def idle():
    """Before and after initialize: garbage, half a line, a batch, nothing."""
    for begin in b"", b"x\n[]\n\0\xff\n{\"id\":\n", b'{"jsonrpc":"2.0","id":1,':
        for how in "EOF", "TERM", "KILL":
            for session in False, True:
                server = Server()
                if session:
                    server.initialize()
                server.write(begin)
                server.end(how)
    # Calls that a client has left behind do not run.
    server = Server().initialize()
    server.process.send_signal(19)
    wait_until(lambda: ") T " in read_file(
        f"/proc/{server.process.pid}/stat"), "the server is not stopped")
    for _ in range(300):
        server.call("list_jvms")
    server.send(id="last", method="ping")
    server.process.stdin.close()
    server.process.send_signal(18)
    answers = server.process.stdout.read().splitlines()
    assert [json.loads(line)["id"] for line in answers] == ["last"], answers
    assert server.process.wait(LIMIT_S) == 0
    server = Server().initialize()
    for _ in range(64):
        server.write(b"{" * (1 << 20))
    server.write(b"\n")
    assert server.read()["error"]["code"] == -32700
    size = int(read_file(f"/proc/{server.process.pid}/status")
               .split("VmHWM:")[1].split()[0])
    server.ping()
    server.end("EOF")
    assert size < 64 << 10, f"{size} KB for a line of 64 MB"
    check_jvm()


def some():
    """The states in which most could be left."""
    end_call("EOF", "threads", {"count": 10}, "stopped")
    end_call("cancel", "gc", {"seconds": 60}, "bpf")
    end_call("cancel", "profile", {"seconds": 60, "event": "alloc"}, "bpf")
    end_call("cancel", *PROBE)


def probes():
    end_call.loaded = True
    for how in "cancel", "EOF", "KILL":
        end_call(how, *PROBE)


def every():
    """Each tool that takes a while."""
    calls = [("why", {"seconds": 60}, "bpf"),
             ("why", {"seconds": 60}, None),
             ("gc", {"seconds": 60}, "bpf"),
             ("threads", {"count": 10}, None),
             ("profile", {"seconds": 60}, "bpf"),
             ("profile", {"seconds": 60, "event": "offcpu"}, "bpf"),
             ("profile", {"seconds": 60, "event": "wall"}, None),
             ("compare", {"seconds": 60, "other_pid": others[0]}, None),
             ("compare", {"seconds": 60, "other_pid": others[0]}, "bpf"),
             ("threads", {}, "stopped"),
             ("histogram", {"live": True}, "stopped"),
             ("why", {"seconds": 60}, "stopped"),
             ("profile", {"seconds": 60, "event": "alloc"}, None),
             ("profile", {"seconds": 60, "event": "alloc"}, "bpf"),
             ("profile", {"seconds": 60, "event": "lock"}, "bpf"),
             ("profile", {"seconds": 60, "agent": True}, "stopped"),
             ("probe", PROBE[1], "stopped"),
             ("probe", PROBE[1], None), PROBE]
    for call in calls:
        for how in "cancel", "EOF", "TERM", "KILL":
            end_call(how, *call)


GENTLE = [("why", {"seconds": 5}), ("profile", {"seconds": 5}),
          ("gc", {"seconds": 5}), ("memory", {}), ("list_jvms", None),
          ("profile", {"seconds": 5, "event": "offcpu"})]


def resources(server):
    status = read_file(f"/proc/{server.process.pid}/status")
    return (int(status.split("RssAnon:")[1].split()[0]),
            len(os.listdir(f"/proc/{server.process.pid}/fd")))


def call_gentle(server):
    tool, arguments = random.choice(GENTLE)
    return server.call(tool) if arguments is None else \
        server.call(tool, pid=pid, **arguments)


def waited_s(process):
    """The time that a process has waited for a CPU."""
    return sum(int(read_file(f"/proc/{p}/schedstat").split()[1])
               for p in process) / 1e9


def cancels(count):
    """Cancels calls at random moments; prints how long the children run on."""
    server = Server().initialize()
    took, net = [], []
    while len(took) < count:
        number = call_gentle(server)
        server.send(id="sync", method="ping")
        while server.read().get("id") != "sync":
            pass
        try:
            child = server.children()[0]
            exited = os.pidfd_open(child)
        except (IndexError, ProcessLookupError):
            continue  # it has ended already
        if not select.select([exited], [], [], random.expovariate(2))[0]:
            both = (child, server.process.pid)
            waited = waited_s(both)
            began = time.monotonic()
            server.cancel(number)
            # The last account of a zombie is not lost.
            select.select([exited], [], [], LIMIT_S)
            took.append(time.monotonic() - began)
            try:
                waited = waited_s(both) - waited
            except IndexError:
                waited = 0
            net.append(took[-1] - waited)
        os.close(exited)
        wait_until(lambda: not server.children(), "a child runs")
        if len(took) <= 100:
            before = resources(server)
    after = resources(server)
    server.end("EOF")
    for name, times in ("cancel to end", took), ("without waits for a CPU", net):
        times.sort()
        print("| %d cancels, %s: median %.3f s, p99 %.3f s, maximum %.3f s" % (
            count, name, times[count // 2], times[count * 99 // 100], times[-1]))
    check_flat(before, after)
    check_jvm(end_call.loaded)


def check_flat(before, after):
    print("| resident %d to %d KB, descriptors %d to %d" % (
        before[0], after[0], before[1], after[1]))
    assert after[0] - before[0] < 1024 and after[1] == before[1]


def run_calls(server, count, failures):
    """Calls that run to their ends, four at a time."""
    answered = started = 0
    while answered < count:
        while started < min(answered + 4, count):
            tool, arguments = random.choice(GENTLE + [
                ("read_file", None), ("threads", {}), ("memory", {}),
                ("list_jvms", None)])
            arguments = dict(arguments or {})
            if tool not in ("read_file", "list_jvms"):
                arguments["pid"] = pid
            if "seconds" in arguments:
                arguments["seconds"] = 1
            server.call(tool, **arguments)
            started += 1
        m = server.read()
        if "result" in m:
            answered += 1
            if m["result"]["isError"]:
                text = m["result"]["content"][0]["text"]
                failures[text] = failures.get(text, 0) + 1
    wait_until(lambda: not server.children(), "a child runs")


def calls(count):
    server = Server("--dir", directory).initialize()
    failures = {}
    run_calls(server, min(count, 100), failures)
    before = resources(server)
    run_calls(server, count - min(count, 100), failures)
    after = resources(server)
    server.end("EOF")
    for text, number in failures.items():
        print(f"| {number} of {count} calls: {text}")
    check_flat(before, after)
    check_jvm(end_call.loaded)


for case in sys.argv[4:]:
    name, _, count = case.partition("=")
    if count:
        globals()[name](int(count))
    else:
        globals()[name]()
