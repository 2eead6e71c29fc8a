# Each line of sessions of each revision conforms to the schemas: answers of tools,
# refusals, and errors for lines that are no request.
mkdir files
cp "$DATA/gc/jdk17-g1.log" files/slow.log
cp "$DATA/hs_err/jdk11-illegal.log" files/hs_err.log
cp "$DATA/dumps/jstack-waits-jdk17.txt" files/dump.txt
meta='"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}'

# requests META: one for each method and way to fail; META is "" or a member of params
requests() {
	number=0
	while read -r method params; do
		number=$((number + 1))
		echo "{\"jsonrpc\":\"2.0\",\"id\":$number,\"method\":\"$method\",\"params\":{$params${params:+${1:+,}}$1}}"
	done <<-END
		ping
		tools/list
		resources/list
		tools/call "name":"rm"
		tools/call "name":"list_jvms","arguments":{"limit":6000}
		tools/call "name":"read_file"
		tools/call "name":"read_file","arguments":{"path":"slow.log"}
		tools/call "name":"read_file","arguments":{"path":"slow.log","view":"gc"}
		tools/call "name":"read_file","arguments":{"path":"hs_err.log"}
		tools/call "name":"read_file","arguments":{"path":"dump.txt","view":"threads"}
		tools/call "name":"read_file","arguments":{"path":7}
		tools/call "name":"histogram","arguments":{"pid":1}
		server/discover
	END
	echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
	echo '{"jsonrpc":"2.0","id":null,"method":"ping"}'
	echo '{"jsonrpc":"1.0","id":"old","method":"ping"}'
	echo '{"jsonrpc":"2.0","id":"new","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}'
	printf '[]\n\n{\n\001\377\n'
}

# session COUNT: the end of the input follows the COUNT-th line, since it cancels calls
session() {
	: >out
	# shellcheck disable=SC2094 # the loop waits for the output
	{
		cat in
		for _ in $(seq 600); do
			[ "$(wc -l <out)" -lt "$1" ] || break
			sleep 0.05
		done
	} | $NO_JVM sjkc mcp -q --dir files >out || echo "status $?"
	python3 "$DATA/../tools/mcp_check.py" "$DATA/mcp/messages.json" in out
}

for revision in 2024-11-05 2025-03-26 2025-06-18 2025-11-25; do
	echo "== $revision"
	{
		echo "{\"jsonrpc\":\"2.0\",\"id\":\"first\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"$revision\",\"capabilities\":{},\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}}"
		requests ''
	} >in
	session 20
done
echo '== 2026-07-28'
requests "\"_meta\":{$meta}" >in
session 19
