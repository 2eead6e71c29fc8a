# SPDX-License-Identifier: Apache-2.0
# function_offset.py FILE NAME: prints the function's offset in the file.
# function_offset.py --byte PID OFFSET: prints the byte, in hex, that the process
# has mapped executable from that offset of a file named workload.
import struct
import sys


def sections(elf):
    at, = struct.unpack_from("<Q", elf, 40)
    size, count = struct.unpack_from("<HH", elf, 58)
    return [struct.unpack_from("<IIQQQQIIQQ", elf, at + i * size)
            for i in range(count)]


def offset(path, name):
    elf = open(path, "rb").read()
    all_sections = sections(elf)
    for s in all_sections:
        if s[1] != 2:  # SHT_SYMTAB
            continue
        strings = all_sections[s[6]][4]
        for at in range(s[4], s[4] + s[5], 24):
            name_at, _, _, index, value, _ = struct.unpack_from(
                "<IBBHQQ", elf, at)
            start = strings + name_at
            if elf[start:elf.index(b"\0", start)] == name.encode():
                section = all_sections[index]
                return value - section[3] + section[4]
    sys.exit(f"no {name} in {path}")


def byte(pid, at):
    for line in open(f"/proc/{pid}/maps"):
        words = line.split()
        start, end = (int(x, 16) for x in words[0].split("-"))
        first = int(words[2], 16)
        if "x" in words[1] and "workload" in line and \
                first <= at < first + end - start:
            with open(f"/proc/{pid}/mem", "rb", 0) as memory:
                memory.seek(start + at - first)
                return memory.read(1).hex()
    sys.exit("not mapped")


if sys.argv[1] == "--byte":
    print(byte(int(sys.argv[2]), int(sys.argv[3])))
else:
    print(offset(sys.argv[1], sys.argv[2]))
