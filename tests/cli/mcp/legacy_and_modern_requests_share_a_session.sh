# A client of each era: the handshake or none, the tools, calls and errors. Answers
# are printed in the order of their ids.
mkdir files
cp "$DATA/gc/jdk17-g1.log" files/slow.log
cp "$DATA/dumps/jstack-waits-jdk17.txt" files/dump.txt
ln -s /etc/passwd files/link
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'

# session COUNT OPTIONS...: sends the lines of standard input; the end follows the
# COUNT-th answer, since it cancels calls
session() {
	count=$1
	shift
	: >out
	# shellcheck disable=SC2094 # the loop waits for the output
	{
		tee in
		for _ in $(seq 600); do
			[ "$(wc -l <out)" -lt "$count" ] || break
			sleep 0.05
		done
	} | sjkc mcp "$@" >out 2>err
	echo "status $?"
	python3 "$DATA/../tools/mcp_check.py" "$DATA/mcp/messages.json" in out ||
		exit
	python3 - <<'END' | sed "s|$PWD|DIR|g"
import json
for line in sorted(open("out"), key=lambda l: str(json.loads(l)["id"])):
    m = json.loads(line)
    r = m.get("result", {})
    print(f"-- {m['id']!r}:", ", ".join(r), json.dumps(m.get("error")))
    for tool in r.get("tools", []):
        hints = [k for k, v in tool["annotations"].items() if v is True]
        print(" ", tool["name"], *tool["inputSchema"]["properties"], *hints)
    for part in r.get("content", []):
        print(" ", "error" if r["isError"] else "answer", part["text"])
        if "structuredContent" in r:
            assert json.loads(part["text"]) == r["structuredContent"]
    for key in "protocolVersion", "supportedVersions", "ttlMs":
        if key in r:
            print(" ", key, r[key])
END
	sed "s/^sjkc: [^ ]*Z /sjkc: /; s/[0-9]* ms, [0-9]* bytes/MS, BYTES/
		s|$PWD|DIR|g" err | sort
}

echo '== legacy'
session 9 --dir files <<END
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"slow.log"}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"link"}}}
{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"$PWD/files/dump.txt","view":"gc"}}}
{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"threads","arguments":{"pid":1}}}
{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"rm"}}
{"jsonrpc":"2.0","id":8,"method":"ping"}
{"jsonrpc":"2.0","id":"nine","method":"server/discover"}
END

echo '== modern'
session 5 --dir files --allow stop,files <<END
{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}
{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{$meta}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"slow.log","view":"gc"},$meta}}
{"jsonrpc":"2.0","id":4,"method":"ping","params":{$meta}}
{"jsonrpc":"2.0","id":5,"method":"tools/list"}
END
