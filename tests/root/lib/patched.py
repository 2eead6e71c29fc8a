#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""patched.py PID NAME: prints how many bytes of the code of a library differ
between the process's memory and the file."""
import sys

pid, name = sys.argv[1:]
differing = 0
for line in open(f"/proc/{pid}/maps"):
    fields = line.split()
    if len(fields) < 6 or "x" not in fields[1] or \
            not fields[5].endswith("/" + name):
        continue
    begin, end = (int(x, 16) for x in fields[0].split("-"))
    with open(f"/proc/{pid}/map_files/{fields[0]}", "rb") as file:
        file.seek(int(fields[2], 16))
        whole = file.read(end - begin)
    with open(f"/proc/{pid}/mem", "rb") as memory:
        memory.seek(begin)
        mapped = memory.read(len(whole))
    differing += sum(a != b for a, b in zip(whole, mapped)) \
        if whole != mapped else 0
print(differing)
