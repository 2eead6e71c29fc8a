# SPDX-License-Identifier: Apache-2.0
#
#	mcp_client.py MODE SJKC PID DIRECTORY
#
# Calls each tool of `sjkc mcp` by the SDK of PyPI's package mcp, which validates
# answers by the output schemas. MODE is auto, legacy or 2026-07-28.
import asyncio
import json
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

mode, sjkc, pid, directory = sys.argv[1:]
pid = int(pid)
saved = f"saved-{mode}.jfr"
calls = [
    ("list_jvms", {}),
    ("why", {"pid": pid, "seconds": 3}),
    ("threads", {"pid": pid}),
    ("profile", {"pid": pid, "seconds": 1}),
    ("profile", {"pid": pid, "seconds": 1, "save": saved}),
    ("gc", {"pid": pid, "seconds": 2, "safepoints": True}),
    ("memory", {"pid": pid}),
    ("histogram", {"pid": pid}),
    ("probe", {"pid": pid, "method": "Target.burn", "seconds": 1}),
    ("compare", {"pid": pid, "other_pid": pid, "seconds": 2}),
    ("compare", {"before": saved, "after": saved}),
    ("read_file", {}),
    ("read_file", {"path": saved, "view": "profile"}),
]


async def main():
    command = StdioServerParameters(
        command=sjkc,
        args=["mcp", "--pid", str(pid), "--dir", directory,
              "--allow", "stop,load,probe,files"])
    failed = False
    async with Client(stdio_client(command), mode=mode) as client:
        tools = await client.list_tools()
        assert {t.name for t in tools.tools} == {c[0] for c in calls}
        for t in tools.tools:
            hints = t.annotations.model_dump()
            assert all(hints[k] is not None for k in (
                "read_only_hint", "destructive_hint", "idempotent_hint",
                "open_world_hint")), t.name
        for name, arguments in calls:
            steps = []

            async def progress(done, total, message):
                steps.append(done)

            r = await client.call_tool(name, arguments,
                                       progress_callback=progress)
            text = r.content[0].text
            if r.is_error:
                print(f"{mode}: {name} {arguments}: {text}")
                failed = True
                continue
            assert json.loads(text) == r.structured_content
            assert len(json.dumps(r.model_dump(mode="json"))) < 9000, name
            assert steps == sorted(set(steps)), steps
            if name == "list_jvms":
                assert [j["pid"] for j in r.structured_content["jvms"]] == [pid]
        r = await client.call_tool("why", {"pid": 1})
        assert r.is_error and "other JVMs" in r.content[0].text, r
    sys.exit(failed)


asyncio.run(main())
