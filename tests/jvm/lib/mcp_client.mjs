// SPDX-License-Identifier: Apache-2.0
//
//	node mcp_client.mjs MODULES SERVER PID OTHER
//
// Calls each tool of `sjkc mcp`, which SERVER runs, by the SDK of npm, which validates
// answers by the output schemas, and cancels a call. OTHER is the PID of another JVM.
import { pathToFileURL } from "node:url";

const [modules, server, first, second] = process.argv.slice(2);
const pid = Number(first), other = Number(second);
const at = pathToFileURL(`${modules}/@modelcontextprotocol/sdk/dist/esm/client/`);
const { Client } = await import(new URL("index.js", at));
const { StdioClientTransport } = await import(new URL("stdio.js", at));
const saved = "saved-npm.jfr";
const calls = [
	["list_jvms", {}],
	["threads", { pid }],
	["profile", { pid, seconds: 1 }],
	["profile", { pid, seconds: 1, save: saved }],
	["gc", { pid, seconds: 2 }],
	["memory", { pid }],
	["histogram", { pid }],
	["probe", { pid, method: "Target.burn", seconds: 1 }],
	["compare", { pid, other_pid: other, seconds: 2 }],
	["read_file", { path: saved, view: "profile" }],
	["why", { pid, seconds: 3 }],
];

const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
await client.connect(new StdioClientTransport({ command: server, args: [] }));
const { tools } = await client.listTools();
if (tools.map(t => t.name).sort().join() !==
		[...new Set(calls.map(c => c[0]))].sort().join())
	throw new Error("other tools");
const steps = [];
for (const [name, args] of calls) {
	const r = await client.callTool({ name, arguments: args }, undefined,
		{ onprogress: p => steps.push(p.progress) });
	const text = r.content[0].text;
	if (r.isError || JSON.stringify(r.structuredContent) !== JSON.stringify(JSON.parse(text)))
		throw new Error(`${name}: ${text}`);
}
if (!steps.length)
	throw new Error("no progress");
const cancel = new AbortController();
setTimeout(() => cancel.abort("test"), 500);
try {
	await client.callTool({ name: "why", arguments: { pid, seconds: 30 } },
		undefined, { signal: cancel.signal });
	throw new Error("not cancelled");
} catch (e) {
	if (!String(e).includes("test"))
		throw e;
}
await client.callTool({ name: "list_jvms", arguments: {} });
await client.close();
