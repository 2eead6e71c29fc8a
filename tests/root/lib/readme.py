# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of documents and compares their output.

    readme.py [--bless] SCRATCH DOCUMENT...

A block of commands begins with ```console; its commands follow "$ ", and their
output follows each command.  Each line must appear in the real output; all numbers
count as equal.  A line "…" stands for omitted lines.  A comment before the block
may change this:

    <!-- test: KEY=VALUE; KEY=VALUE -->

    expect  a regular expression that the real output and the document have to
            match; with it, lines are not compared.  May be given several times.
    lines   with --bless, keep this many lines of the output
    wait    seconds to wait after the block
    tty     run the commands on a terminal, for this many seconds
    jvm     run them beside a JVM with these options instead of the demo, in
            process and network namespaces of its own
    as      run them as this user
    by      another test runs these commands: its file name, and a text in it

SCRATCH/bin is in the PATH, SCRATCH/classes has the demo.  --bless rewrites the
documents with the real output.
"""
import os
import re
import shlex
import subprocess
import sys
import time

UNITS = [(r"0 ?(ns|us|µs|ms|s|min|h)\b", "0 T"), (r"0 ?(B|KB|MB|GB)\b", "0 S")]


def same(line):
    """Returns the line without the parts that differ between runs."""
    line = re.sub(r"0x[0-9a-f]+", "0", line)
    line = re.sub(r"\d[\d,.:T-]*", "0", line)
    for pattern, unit in UNITS:
        line = re.sub(pattern, unit, line)
    return re.sub(r"\s+", " ", line).strip()


class Block:
    def __init__(self, first):
        self.first = first  # the line of ```console, from 1
        self.keys = {}
        self.expected = []
        self.lines = []

    def comment(self, text):
        for pair in re.split(r";\s+", text.strip()):
            key, value = pair.split("=", 1)
            if key == "expect":
                self.expected.append(value)
            else:
                self.keys[key] = value

    def commands(self):
        """Returns (command, output lines) of each; a "\\" continues a command."""
        found = []
        lines = iter(self.lines)
        for line in lines:
            if line.startswith("$ "):
                command = [line[2:]]
                while command[-1].endswith("\\"):
                    command.append(next(lines))
                found.append(("\n".join(command), []))
            elif found:
                found[-1][1].append(line)
            else:
                raise SystemExit(f"{self.first}: output before a command")
        return found


def blocks(lines):
    block, comment, found = None, None, []
    for number, line in enumerate(lines, 1):
        if block:
            if line.startswith("```"):
                found.append(block)
                block = None
            else:
                block.lines.append(line)
        elif match := re.match(r"<!-- test: (.*) -->$", line):
            comment = match[1]
        elif line.startswith("```"):
            if line != "```console":
                raise SystemExit(f"{number}: a block that no test runs")
            block = Block(number)
            if comment:
                block.comment(comment)
            comment = None
    return found


class Runner:
    def __init__(self, scratch):
        self.scratch = scratch
        self.cwd = f"{scratch}/cwd"
        os.mkdir(self.cwd)
        os.chmod(self.cwd, 0o1777)
        self.env = dict(os.environ, LC_ALL="C.UTF-8", COLUMNS="100",
                        PATH=f"{scratch}/bin:{os.environ['PATH']}")
        # Use large PIDs, as on a machine with many processes.
        with open("/proc/sys/kernel/ns_last_pid", "w", encoding="ascii") as last:
            last.write("4710")
        self.demo = subprocess.Popen(self.java([]), cwd=self.cwd, env=self.env,
                                     stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
        time.sleep(5)

    def java(self, options):
        return ["env", "--default-signal=QUIT,INT", "java", "-Xmx256m", *options,
                "-cp", f"{self.scratch}/classes", "Demo", "600"]

    def run(self, block, command):
        keys = block.keys
        words = ["sh", "-c", command]
        if "as" in keys:
            words = ["setpriv", f"--reuid={keys['as']}", "--regid=nogroup",
                     "--clear-groups", *words]
        if "tty" in keys:
            words = ["timeout", "-s", "INT", keys["tty"], "script", "-qefc",
                     "stty rows 24 cols 100; " + command, "/dev/null"]
            self.env["TERM"] = "xterm"
        if "jvm" in keys:
            java = shlex.join(self.java(keys["jvm"].split()))
            words = ["unshare", "--pid", "--net", "--fork", "--kill-child",
                     "--mount-proc", "sh", "-c",
                     f"ip link set lo up; {java} >/dev/null 2>&1 & "
                     # main() starts this thread after the JMX agent listens.
                     "until grep -qs clerk-1 /proc/[0-9]*/task/*/comm; "
                     "do sleep 0.2; done; "
                     + shlex.join(words)]
        done = subprocess.run(words, cwd=self.cwd, env=self.env, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        text = done.stdout.decode("utf-8", "replace")
        text = text.replace(self.cwd, "/home/me")
        return [line.rstrip() for line in text.strip("\n").splitlines()]


def faults_of(block, printed, real):
    if block.expected:
        shown = "\n".join(block.lines)
        for pattern in block.expected:
            if not re.search(pattern, "\n".join(real), re.M):
                yield f"'{pattern}' is not in the output"
            if "tty" not in block.keys and not re.search(pattern, shown, re.M):
                yield f"'{pattern}' is not in the document"
        return
    have = {same(line) for line in real}
    for line in printed:
        if line.strip() not in ("", "…") and same(line) not in have:
            yield f"not in the output: {line}"


def check_elsewhere(block):
    name, text = block.keys["by"].split(" ", 1)
    with open(name, encoding="utf-8") as test:
        if text not in test.read():
            yield f"{name} has no '{text}'"


def shorten(block, real):
    keep = int(block.keys.get("lines", 40))
    return real if len(real) <= keep else [*real[:keep], "…"]


def check(runner, bless, document):
    """Returns true if a block is wrong."""
    with open(document, encoding="utf-8") as file:
        lines = file.read().split("\n")
    bad = False
    written = {}
    for block in blocks(lines):
        faults = []
        now = []
        if "by" in block.keys:
            faults = list(check_elsewhere(block))
            now = block.lines
        else:
            everything = []
            for command, printed in block.commands():
                real = runner.run(block, command)
                everything += real
                now += ["$ " + command]
                if "tty" not in block.keys:
                    now += shorten(block, real)
                if not block.expected:
                    faults += faults_of(block, printed, real)
            if bless:
                block.lines = "\n".join(now).split("\n")
            if block.expected:
                faults += faults_of(block, [], everything)
        time.sleep(float(block.keys.get("wait", 0)))
        written[block.first] = now
        if faults:
            bad = True
            print(f"{document}:{block.first}:", *faults, sep="\n    ")
            if "by" not in block.keys:
                print("  printed:", *everything[:30], sep="\n    ")
    if bless:
        out, skip = [], False
        for number, line in enumerate(lines, 1):
            if skip and line.startswith("```"):
                skip = False
            if not skip:
                out.append(line)
            if number in written:
                out += written[number]
                skip = True
        with open(document, "w", encoding="utf-8") as file:
            file.write("\n".join(out))
    return bad


def main(bless, scratch, *documents):
    runner = Runner(scratch)
    bad = [document for document in documents if check(runner, bless, document)]
    runner.demo.kill()
    return 1 if bad and not bless else 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    blessing = arguments[0] == "--bless"
    sys.exit(main(blessing, *arguments[blessing:]))
