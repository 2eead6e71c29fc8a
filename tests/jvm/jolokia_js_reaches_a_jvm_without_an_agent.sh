#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# jolokia.js reads, writes, invokes, searches and lists MBeans of a JVM without an
# agent through mxprx --http, by its JMX port and by its PID; the requests that
# hawtio sends (@hawtio/react 2.3.0) yield what hawtio needs, also from a page of an
# allowed origin; heap.js of docs/jmx.md prints what docs/jmx.md shows.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/proxy.sh

modules=${NODE_PATH:-$PWD/build/browser/node_modules}
command -v node >/dev/null || { echo 'no node'; exit 77; }
[ -d "$modules/jolokia.js" ] || { echo 'no jolokia.js'; exit 77; }

cat >"$scratch/client.js" <<'END'
const assert = require("assert")
const http = require("http")
const loaded = require("jolokia.js")
const Jolokia = loaded.default || loaded
const jolokia = new Jolokia({ url: process.argv[2] })
const post = { method: "post" }
const get = { method: "get" }
const types = "sjkc.test:type=Types"
const settable = "sjkc.test:type=Settable"
const operations = "sjkc.test:type=Operations"
const runtime = "java.lang:type=Runtime"

async function value(request, options = post) {
	const response = await jolokia.request(request, options)
	assert.equal(response.status, 200, JSON.stringify(response))
	return response.value
}

async function error(request, status, type, options = post) {
	const response = await jolokia.request(request, options)
	assert.equal(response.status, status, JSON.stringify(response))
	assert.equal(response.error_type, type)
	assert(Jolokia.isError(response))
	assert.equal(response.request.type, request.type)
}

function exec(operation, ...args) {
	return { type: "exec", mbean: operations, operation, arguments: args }
}

async function reads() {
	const read = (mbean, attribute, path) =>
		({ type: "read", mbean, attribute, path })
	for (const options of [post, get]) {
		const version = await value({ type: "version" }, options)
		assert.match(version.protocol, /^8\./)
		assert.equal(await value(read(types, "String"), options),
			"text")
		assert.equal(await value(read("sjkc.test:type=Open", "Table",
			"second/size"), options), 2 ** 40)
		// A slash in an attribute, which a path escapes.
		await error(read(types, "a/b"), 404,
			"javax.management.AttributeNotFoundException", options)
	}
	const some = await value(read(types, ["Int", "Null"]))
	assert.deepEqual(some, { Int: -2147483648, Null: null })
	const all = await value(read(types, undefined),
		{ ...post, ignoreErrors: true })
	assert.deepEqual(all.Map, { one: 1, two: 2 })
	assert.deepEqual(all.Matrix, [[1, 2], [], [3]])
	const pools = await value(read("java.lang:type=MemoryPool,*",
		["Usage", "Type"]))
	assert(Object.keys(pools).length > 2)
	for (const pool of Object.values(pools))
		assert(pool.Usage.used >= 0 && pool.Type)
	assert.equal(await value(read(types, "LongMax"),
		{ ...post, serializeLong: "string" }), "9223372036854775807")
	const names = await value({ type: "search", mbean: "java.lang:*" },
		get)
	assert(names.includes("java.lang:type=Memory"))
}

async function writes() {
	const write = (attribute, value) =>
		({ type: "write", mbean: settable, attribute, value })
	assert.equal(await value(write("String", "a/b!c \"d\"")), "before")
	assert.equal(await value(write("String", "x y/z"), get),
		"a/b!c \"d\"")
	assert.equal(await value(write("Int", 7)), 0)
	assert.deepEqual(await value(write("Ints", [1, 2])), [])
	assert.equal(await value(write("BigInteger", "9007199254740993")),
		null)
	assert.deepEqual(await value({ type: "read", mbean: settable,
		attribute: ["BigInteger", "Int", "Ints", "String"] }), {
		BigInteger: { bigint: "9007199254740993" }, Int: 7, Ints: [1, 2], String: "x y/z" })
	await error(write("Refusing", 5), 400,
		"java.lang.IllegalArgumentException")
}

async function executes() {
	for (const options of [post, get]) {
		assert.equal(await value(exec("sum(int,int)", 2, 3), options),
			5)
		assert.equal(await value(exec("sum(int, int, int)", 2, 3, 4),
			options), 9)
		assert.equal(await value(exec("sum(java.lang.String," +
			"java.lang.String)", "2", "3"), options), "23")
		assert.equal(await value(exec("text", "a/b"), options),
			"'a/b'")
		await error(exec("sum", 2, 3), 400,
			"java.lang.IllegalArgumentException", options)
	}
	assert.equal(await value(exec("nothing")), null)
	assert.equal(await value(exec("texts", ["a", null])), "[a, null]")
	assert.equal(await value(exec("mean", [1, 2])), 1.5)
	await error(exec("fail", "why"), 500, "java.lang.Exception")
	await error(exec("nameless"), 400,
		"java.lang.IllegalArgumentException")
	await error({ type: "exec", mbean: "no:type=X", operation: "x" }, 404,
		"javax.management.InstanceNotFoundException")
}

async function lists() {
	const all = await value({ type: "list" })
	const bean = all["sjkc.test"]["type=Operations"]
	assert.equal(bean.op.sum.length, 4)
	assert.equal(bean.op.text.args[0].type, "java.lang.String")
	assert.equal(all["sjkc.test"]["type=Settable"].attr.Int.rw, true)
	const long = await value({ type: "list",
		path: "sjkc.test/type=Types/attr/LongMax" }, get)
	assert.equal(long.type, "long")
	assert.equal(long.rw, false)
	const both = await jolokia.request([
		{ type: "read", mbean: runtime, attribute: "Uptime" },
		{ type: "read", mbean: "no:type=X" },
		exec("sum(int,int)", 1, 1)], post)
	assert.deepEqual(both.map(one => one.status), [200, 404, 200])
	assert.equal(both[2].value, 2)
}

// The requests of hawtio's start, its JMX tree, its attribute and operation
// pages, its runtime pages and its search for access control.
async function hawtio() {
	const config = { method: "post", mimeType: "application/json",
		maxCollectionSize: 50000, maxDepth: 7, canonicalNaming: false,
		ignoreErrors: true }
	const listing = { ...config, maxDepth: 9 }
	assert((await value({ type: "version" }, config)).agent)
	for (const listCache of [undefined, true]) {
		const tree = await value({ type: "list" },
			{ ...listing, listCache })
		assert(tree["java.lang"]["type=Memory"].attr
			.HeapMemoryUsage.type)
	}
	const part = await jolokia.request(["java.lang/type=Memory",
		"sjkc.test/type=Types"].map(path =>
		({ type: "list", path, config: listing })), listing)
	assert(part[1].value.attr.LongMax)
	assert.deepEqual(await value({ type: "search",
		mbean: "*:type=security,area=jmx,*" }, config), [])
	await error({ type: "list",
		path: "hawtio/type=security,name=RBACRegistry" }, 404,
		"javax.management.InstanceNotFoundException", config)
	const [memory] = await jolokia.request([{ type: "read",
		mbean: "java.lang:type=Memory", config: {} }], config)
	assert(memory.value.HeapMemoryUsage.used > 0)
	assert.equal(await value({ type: "exec", mbean: "java.lang:type=Memory",
		operation: "gc()", arguments: [] }, config), null)
	const failing = await value({ type: "read",
		mbean: "sjkc.test:type=Failing" }, config)
	assert.equal(failing.Fine, 1)
	assert.equal(failing.Throws, "ERROR: java.lang.Exception: of the " +
		"getter (class javax.management.MBeanException)")
	const properties = await value({ type: "read", mbean: runtime,
		attribute: "SystemProperties" }, config)
	assert(properties["java.version"])
	for (const operation of ["dumpAllThreads(boolean,boolean)",
		"dumpAllThreads(boolean, boolean)"]) {
		const threads = await value({ type: "exec",
			mbean: "java.lang:type=Threading", operation,
			arguments: [true, true] }, config)
		const main = threads.find(one => one.threadName === "main")
		assert(main.stackTrace.some(one => one.className === "Beans"
			&& one.methodName === "main" && one.lineNumber > 0
			&& one.fileName === "Beans.java"))
		assert.equal(main.threadState, "TIMED_WAITING")
	}
	assert.equal(typeof await value({ type: "write",
		mbean: "java.lang:type=Threading",
		attribute: "ThreadContentionMonitoringEnabled",
		value: false }, config), "boolean")
	const metrics = await jolokia.request([
		{ type: "read", mbean: "java.lang:type=Memory",
			attribute: "HeapMemoryUsage" },
		{ type: "read", mbean: "java.lang:type=OperatingSystem" },
		{ type: "read", mbean: "sjkc.test:type=Odd,name=\"a,b:c " +
			"\\\"\\*\"", attribute: "twice" }], config)
	assert.deepEqual(metrics.map(one => one.status), [200, 200, 200])
	assert(metrics[1].value.AvailableProcessors > 0)
}

// A recording as hawtio makes it: the options are a map, for TabularData.
async function recording() {
	const jfr = "jdk.management.jfr:type=FlightRecorder"
	const exec = (operation, ...args) =>
		value({ type: "exec", mbean: jfr, operation, arguments: args })
	const id = await exec("newRecording")
	await exec("setRecordingOptions", id, { name: "one", maxAge: "5 s" })
	const options = await exec("getRecordingOptions", id)
	assert.equal(options.name, "one")
	assert.equal(options.maxAge, "5 s")
	assert.equal(options.dumpOnExit, "false")
	await exec("setPredefinedConfiguration", id, "profile")
	const settings = await exec("getRecordingSettings", id)
	assert(Object.keys(settings).length > 100)
	await exec("setRecordingSettings", id, settings)
	assert.deepEqual(await exec("getRecordingSettings", id), settings)
	await error({ type: "exec", mbean: jfr, operation:
		"setRecordingOptions", arguments: [id, [1]] }, 400,
		"java.lang.IllegalArgumentException")
	await exec("closeRecording", id)
}

// Sends a request of a web page; resolves to the response.
function page(method, headers, body) {
	return new Promise((done, failed) => {
		const request = http.request(process.argv[2] + "/", { method,
			headers }, response => {
			let text = ""
			response.on("data", data => text += data)
			response.on("end", () => done({ ...response.headers,
				status: response.statusCode, text }))
		})
		request.on("error", failed)
		request.end(body)
	})
}

// Chromium first asks whether a page of another origin may send JSON.
async function pages() {
	const version = JSON.stringify({ type: "version" })
	const asked = await page("OPTIONS", { Origin: "https://hawtio.example",
		"Access-Control-Request-Method": "POST",
		"Access-Control-Request-Headers": "content-type" })
	assert.equal(asked.status, 200)
	assert.equal(asked.text, "")
	assert.equal(asked["access-control-allow-headers"], "content-type")
	assert.match(asked["access-control-allow-methods"], /POST/)
	const answered = await page("POST",
		{ Origin: "https://hawtio.example" }, version)
	for (const response of [asked, answered]) {
		assert.equal(response["access-control-allow-origin"],
			"https://hawtio.example")
		assert.equal(response["access-control-allow-credentials"],
			"true")
		assert.equal(response.vary, "Origin")
	}
	assert.equal(JSON.parse(answered.text).status, 200)
	const own = await page("POST", {}, version)
	assert.equal(own.status, 200)
	assert.equal(own["access-control-allow-origin"], undefined)
	const foreign = await page("OPTIONS", { Origin: "https://other.example",
		"Access-Control-Request-Method": "POST" })
	assert.equal(foreign.status, 403)
	assert.equal(foreign["access-control-allow-origin"], undefined)
}

async function run() {
	for (const part of [reads, writes, executes, lists, hawtio, recording,
		pages])
		await part()
}
run().then(() => console.log("done"), failure => {
	console.log(failure)
	process.exit(1)
})
END

# client_works MXPRX-OPTION…
client_works() {
	proxy "$@" --timeout 60s --http 0 --allow-origin https://hawtio.example || return
	# shellcheck disable=SC2154 # proxy_port: proxy.sh
	NODE_PATH=$modules timeout 300 node "$scratch/client.js" \
		"http://127.0.0.1:$proxy_port/jolokia" >"$scratch/client" 2>&1
	grep -qx 'done' "$scratch/client" ||
		{ cat "$scratch/client" "$proxy_said"; return 1; }
	readme_works || return
	proxy_end TERM
}

# readme_works: runs heap.js of docs/jmx.md with the port of mxprx
readme_works() {
	sed -n '/^\$ cat heap.js$/,/^\$ node heap.js$/ { /^\$/d; p; }' docs/jmx.md |
		sed "s/:9000/:$proxy_port/" >"$scratch/heap.js"
	NODE_PATH=$modules timeout 300 node "$scratch/heap.js" \
		>"$scratch/shown" 2>&1
	# shellcheck disable=SC2016 # backquotes of the document
	sed -n '/^\$ node heap.js$/,/^```$/ { /^\$/d; /^```$/d; p; }' docs/jmx.md |
		sed 's/[0-9][0-9.]*.*/[0-9]/' >"$scratch/patterns"
	[ "$(grep -c '' "$scratch/patterns")" -eq 3 ] &&
		[ "$(grep -cf "$scratch/patterns" "$scratch/shown")" -eq 3 ] &&
		return
	cat "$scratch/shown"
	return 1
}

check() {
	target_program=Beans
	# shellcheck disable=SC2154 # port, pid: jmx.sh, target.sh
	jmx_target "$1" && client_works -s "127.0.0.1:$port" || return
	target_end "$pid"
	target "$1" && client_works -p "$pid" && target_end "$pid"
}

for_each_jdk check
