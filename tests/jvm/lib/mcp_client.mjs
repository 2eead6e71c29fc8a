// SPDX-License-Identifier: Apache-2.0
//
//	node mcp_client.mjs MODULES SJKC PID
//
// Calls tools of `sjkc mcp` by the SDK of npm, and cancels a call.
import { pathToFileURL } from "node:url";

const [modules, sjkc, pid] = process.argv.slice(2);
const at = pathToFileURL(`${modules}/@modelcontextprotocol/sdk/dist/esm/client/`);
const { Client } = await import(new URL("index.js", at));
const { StdioClientTransport } = await import(new URL("stdio.js", at));

const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
await client.connect(new StdioClientTransport({
	command: sjkc, args: ["mcp", "--allow", "stop"] }));
if ((await client.listTools()).tools.length !== 10)
	throw new Error("not ten tools");
const call = async (name, args, options) => {
	const r = await client.callTool({ name, arguments: args }, undefined, options);
	const text = r.content[0].text;
	if (r.isError || JSON.stringify(r.structuredContent) !== JSON.stringify(JSON.parse(text)))
		throw new Error(`${name}: ${text}`);
	return r.structuredContent;
};
if (!(await call("list_jvms", {})).jvms.some(j => j.pid === Number(pid)))
	throw new Error("the JVM is not listed");
await call("threads", { pid: Number(pid) });
const steps = [];
await call("why", { pid: Number(pid), seconds: 3 },
	{ onprogress: p => steps.push(p.progress) });
if (!steps.length)
	throw new Error("no progress");
const cancel = new AbortController();
setTimeout(() => cancel.abort("test"), 500);
try {
	await call("why", { pid: Number(pid), seconds: 30 }, { signal: cancel.signal });
	throw new Error("not cancelled");
} catch (e) {
	if (!String(e).includes("test"))
		throw e;
}
await call("list_jvms", {});
await client.close();
