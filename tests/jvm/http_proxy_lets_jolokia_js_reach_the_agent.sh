#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Through mxprx -u, the real agent sends the responses that it sends directly,
# and jolokia.js, the agent's own client, works; with --read-only, everything
# that changes something is rejected, alone, in a bulk request, and as GET.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh

modules=${NODE_PATH:-$PWD/build/browser/node_modules}
command -v node >/dev/null || { echo 'no node'; exit 77; }
[ -d "$modules/jolokia.js" ] || { echo 'no jolokia.js'; exit 77; }

# same_responses: compares direct and proxied responses, without times and
# volatile values.
same_responses() {
	python3 - "$url" "http://127.0.0.1:$proxy_port/jolokia" <<-'END'
		import re, sys, urllib.request
		def ask(base, path, body):
		    r = urllib.request.Request(base + path,
		        body and body.encode(),
		        {"Content-Type": "application/json"})
		    with urllib.request.urlopen(r) as response:
		        text = response.read().decode()
		    text = re.sub(r'"timestamp":\d+', "", text)
		    return response.status, response.headers[
		        "Content-Type"], text
		asked = 0
		for path in ("", "/", "/version", "/search/java.lang:*",
		             "/list?maxDepth=2", "/list/java.lang",
		             "/read/sjkc.test:type=Types/LongMax",
		             "/read/sjkc.test:type=Types/Markup",
		             "/read/java.lang:type=Runtime/VmName",
		             "/read/java.lang:type=Runtime/No",
		             "/read/no:type=X", "/bogus/x", "?p=/version",
		             "/read/java.lang:type=Runtime/SystemProperties"
		             "/java.version",
		             "/exec/java.lang:type=Threading/"
		             "getThreadInfo(long)/-1"):
		    direct = ask(sys.argv[1], path, None)
		    assert ask(sys.argv[2], path, None) == direct, path
		    asked += 1
		for body in ('{"type":"version"}', "[]",
		             '[{"type":"read","mbean":"java.lang:type=Runtime",'
		             '"attribute":["VmName","Pid"]},{"type":"list"}]',
		             '{"type":"read","mbean":"sjkc.test:type=Types",'
		             '"attribute":"String"}',
		             '{"type":"exec","mbean":"no:type=X",'
		             '"operation":"x"}', '{"x":"\\u00e4\u20ac"}'):
		    direct = ask(sys.argv[1], "", body)
		    assert ask(sys.argv[2], "", body) == direct, body
		    asked += 1
		assert asked == 21
	END
}

# jolokia_js MODE: fails unless all requests work ("all"), or only those that
# read ("reading").
jolokia_js() {
	NODE_PATH=$modules timeout 60 node - \
		"http://127.0.0.1:$proxy_port/jolokia" "$1" <<-'END'
		const assert = require("assert")
		const loaded = require("jolokia.js")
		const Jolokia = loaded.default || loaded
		const [url, mode] = process.argv.slice(2)
		const jolokia = new Jolokia({ url })
		const slow = "sjkc.test:type=Slow"
		const read = { type: "read", mbean: "java.lang:type=Runtime",
			attribute: "Uptime" }
		const write = { type: "write", mbean: slow,
			attribute: "Millis", value: 4000 }
		const exec = { type: "exec", mbean: slow, operation: "sleep",
			arguments: [1] }
		const post = { method: "post" }, get = { method: "get" }

		// Parses what an agent of version 1 sends as text/plain.
		async function ask(request, options) {
			const answer = await jolokia.request(request, options)
			return typeof answer === "string" ? JSON.parse(answer)
				: answer
		}

		async function fails(request, options) {
			let response
			try {
				response = await ask(request,
					options)
			} catch (error) {
				return error
			}
			for (const one of [].concat(response))
				assert(one.status !== 200,
					JSON.stringify(response))
		}

		async function run() {
			for (const options of [post, get]) {
				const answer = await ask(read,
					options)
				assert.equal(answer.status, 200)
				assert(answer.value > 0)
			}
			const both = await ask([read,
				{ type: "search", mbean: "java.lang:*" }], post)
			assert.equal(both.length, 2)
			assert(both[1].value.includes(
				"java.lang:type=Memory"))
			const all = await ask({ type: "list" }, post)
			assert(all.value["sjkc.test"]["type=Slow"])
			for (const change of [write, exec])
				for (const options of [post, get])
					if (mode === "all")
						assert.equal((await ask(change,
							options))
							.status, 200)
					else
						await fails(change, options)
			const millis = (await ask({ type: "read",
				mbean: slow, attribute: "Millis" }, post)).value
			assert.equal(millis, mode === "all" ? 4000 : 3000)
			if (mode === "all")
				return
			await fails([read, write], post)
			assert.equal((await ask({ type: "exec",
				mbean: "java.lang:type=Threading",
				operation: "getThreadInfo(long)",
				arguments: [1] }, post)).status, 200)
		}
		run().then(() => console.log("done"), error => {
			console.log(error)
			process.exit(1)
		})
	END
}

for jdk in $(jdks); do
	jolokia_target "$jdk" Beans || exit
	proxy -u "$url" -b 0 --read-only --log || exit 1
	jolokia_js reading || exit 1
	proxy_end TERM || exit 1
	grep -q 'refused' "$proxy_printed" ||
		{ cat "$proxy_printed"; exit 1; }
	proxy -u "$url" -b 0 --log || exit 1
	same_responses || exit 1
	jolokia_js all || exit 1
	curl_body='{"type":"read","mbean":"a:b=c","target":{"url":
		"service:jmx:rmi:///jndi/rmi://127.0.0.1:1/jmxrmi"}}'
	python3 - "$proxy_port" "$curl_body" <<-'END' || exit 1
		import sys, urllib.error, urllib.request
		try:
		    urllib.request.urlopen("http://127.0.0.1:%s/jolokia" %
		        sys.argv[1], sys.argv[2].encode())
		    sys.exit("a target was forwarded")
		except urllib.error.HTTPError as e:
		    assert e.code == 403, e.code
	END
	proxy_end TERM || exit 1
	tab=$(printf '\t')
	for line in "write${tab}sjkc.test:type=Slow${tab}Millis${tab}ok" \
		"exec${tab}sjkc.test:type=Slow${tab}sleep${tab}ok" \
		"Uptime and 1 more${tab}ok"; do
		grep -q "$line" "$proxy_printed" ||
			{ echo "no $line"; cat "$proxy_printed"; exit 1; }
	done
	target_end "$pid"
done
