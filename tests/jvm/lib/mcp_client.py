# SPDX-License-Identifier: Apache-2.0
#
#	mcp_client.py MODE SERVER PID OTHER
#
# Calls each tool of `sjkc mcp`, which SERVER runs, by the SDK of PyPI's package mcp,
# which validates answers by the output schemas. MODE is auto, legacy or 2026-07-28.
# OTHER is the PID of a JVM with few threads, and with hostile names.
import asyncio
import json
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

mode, server, pid, other = sys.argv[1:]
pid, other = int(pid), int(other)
saved = f"saved-{mode}.jfr"
most = {"limit": 40000}
calls = [
    ("list_jvms", {}),
    ("why", {"pid": pid, "seconds": 3}),
    ("threads", {"pid": pid}),
    ("threads", {"pid": other, **most}),
    ("profile", {"pid": pid, "seconds": 1}),
    ("profile", {"pid": pid, "seconds": 1, "save": saved}),
    ("gc", {"pid": pid, "seconds": 2, "safepoints": True}),
    ("memory", {"pid": pid, **most}),
    ("histogram", {"pid": pid}),
    ("probe", {"pid": pid, "method": "Target.burn", "seconds": 1}),
    ("compare", {"pid": pid, "other_pid": other, "seconds": 2}),
    ("compare", {"before": saved, "after": saved}),
    ("read_file", {}),
    ("read_file", {"path": saved, "view": "profile", **most}),
]
quoted = {'quote" #7 prio=5 os_prio=0 tid=0x1 nid=0x2 runnable',
          "</script><img src=x onerror=alert(1)>"}


async def call_all(client):
    failed = False
    for name, arguments in calls:
        steps = []

        async def progress(done, total, message):
            steps.append(done)

        r = await client.call_tool(name, arguments, progress_callback=progress)
        content = r.structured_content
        if r.is_error:
            print(f"{mode}: {name} {arguments}: {r.content[0].text}")
            failed = True
            continue
        assert json.loads(r.content[0].text) == content
        assert steps == sorted(set(steps)), steps
        if name == "list_jvms":
            assert {j["pid"] for j in content["jvms"]} == {pid, other}
        if arguments.get("pid") == other:
            assert quoted <= {t.get("name") for t in content["threads"]}, content
    return failed


async def main():
    parameters = StdioServerParameters(command=server, args=[])
    async with Client(stdio_client(parameters), mode=mode) as client:
        tools = await client.list_tools()
        assert {t.name for t in tools.tools} == {c[0] for c in calls}
        for t in tools.tools:
            hints = t.annotations.model_dump()
            assert all(hints[k] is not None for k in (
                "read_only_hint", "destructive_hint", "idempotent_hint",
                "open_world_hint")), t.name
        # It opens a session like one of the other modes.
        failed = mode != "auto" and await call_all(client)
        r = await client.call_tool("why", {"pid": 1})
        assert r.is_error and "other JVMs" in r.content[0].text, r
    sys.exit(failed)


asyncio.run(main())
