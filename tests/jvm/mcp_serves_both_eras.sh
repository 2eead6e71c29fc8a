# SPDX-License-Identifier: Apache-2.0
# Only in check-all: it takes a minute, and fetches two clients.
# Clients of PyPI and npm call each tool of `sjkc mcp` in each era, for a JVM with 2,000
# threads. Each line conforms to the schemas, answers to their limits, and hostile names
# stay in strings. A cancelled call and the end of the input leave no child and nothing
# in the JVM.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
cache=${SJKC_MCP_CACHE:-/var/tmp/sjkc-mcp-$(id -u)}
mkdir -p "$cache"

# The clients, fetched once.
python=$cache/venv/bin/python
{ [ -e "$cache/venv/.made" ] && [ -x "$python" ]; } || {
	rm -rf "$cache/venv"
	# The program itself, because python3 may be a link that lasts for a test.
	"$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')" \
		-m venv "$cache/venv" &&
		timeout 300 "$python" -m pip -q install mcp==2.3.0 &&
		: >"$cache/venv/.made"
} >"$scratch/pip" 2>&1 || python=
modules=$cache/npm/node_modules
[ -d "$modules/@modelcontextprotocol/sdk" ] ||
	timeout 300 npm install --prefix "$cache/npm" --no-audit --no-fund \
		--loglevel=error @modelcontextprotocol/sdk@1.32.2 \
		>"$scratch/npm" 2>&1 || modules=

# interrupted_calls_leave_nothing: a probe that is cancelled, and one whose client
# ends, both restore the method within 2 s.
interrupted_calls_leave_nothing() {
	python3 - "$sjkc" "$pid" <<-'END'
	import json, subprocess, sys, time
	sjkc, pid = sys.argv[1], int(sys.argv[2])
	s = subprocess.Popen([sjkc, "mcp", "--allow", "probe", "-q"], stdin=-1, stdout=-1)
	def send(**m):
	    s.stdin.write((json.dumps({"jsonrpc": "2.0", **m}) + "\n").encode())
	    s.stdin.flush()
	def children():
	    with open(f"/proc/{s.pid}/task/{s.pid}/children") as f:
	        return f.read().split()
	def probe(id):
	    send(id=id, method="tools/call", params={"name": "probe",
	         "arguments": {"pid": pid, "method": "Target.burn", "seconds": 60},
	         "_meta": {"progressToken": id}})
	    while True:
	        m = json.loads(s.stdout.readline())
	        assert "result" not in m, m
	        if m["params"]["progress"] > 2 and children():
	            return
	send(id=0, method="initialize", params={"protocolVersion": "2025-06-18"})
	s.stdout.readline()
	probe(1)
	send(method="notifications/cancelled", params={"requestId": 1})
	began = time.monotonic()
	while children():
	    assert time.monotonic() - began < 10, "the child runs"
	    time.sleep(0.01)
	print("| cancelled in %.2f s" % (time.monotonic() - began))
	send(id=2, method="ping")
	while "result" not in (m := json.loads(s.stdout.readline())):
	    assert m["method"] == "notifications/progress", m
	assert m["id"] == 2, m
	probe(3)
	began = time.monotonic()
	s.stdin.close()
	s.stdout.read()
	assert s.wait() == 0
	print("| ended in %.2f s" % (time.monotonic() - began))
	END
}

# many_calls_take_flat_memory: of 300 calls, the last 200 add less than 1 MB.
many_calls_take_flat_memory() {
	python3 - "$sjkc" <<-'END'
	import json, subprocess, sys
	s = subprocess.Popen([sys.argv[1], "mcp", "-q"], stdin=-1, stdout=-1)
	def call(id, method, params):
	    s.stdin.write((json.dumps({"jsonrpc": "2.0", "id": id, "method": method,
	        "params": params}) + "\n").encode())
	    s.stdin.flush()
	    assert json.loads(s.stdout.readline())["id"] == id
	call(0, "initialize", {})
	for i in range(1, 301):
	    call(i, "tools/call", {"name": "list_jvms"})
	    if i in (100, 300):
	        status = open(f"/proc/{s.pid}/status").read()
	        kb = int(status.split("RssAnon:")[1].split()[0])
	        if i == 100:
	            before = kb
	assert kb - before < 1024, (before, kb)
	END
}

# server: $scratch/server is a command that keeps the lines of its session.
server() {
	cat >"$scratch/server" <<-END
		#!/bin/sh
		tee "$scratch/in" | "$sjkc" mcp --pid "$pid" --pid "$other" \
			--dir "$scratch" --allow stop,load,probe,files |
			tee "$scratch/out"
	END
	chmod +x "$scratch/server"
}

# client NAME COMMAND...: runs a client, whose session must conform to the schemas
client() {
	name=$1
	shift
	"$@" 2>"$scratch/err" &&
		"${python:-python3}" tests/tools/mcp_check.py \
			tests/data/mcp/messages.json "$scratch/in" "$scratch/out" \
			>"$scratch/checked" 2>&1 && return
	echo "$jdk: $name"
	cat "$scratch/err" "$scratch/checked"
	return 1
}

for jdk in $(jdks); do
	target "$jdk" -- threads=5 hostile || exit 1
	other=$pid
	target "$jdk" -- threads=2000 blocked=50 burners=1 hostile || exit 1
	server
	for mode in auto legacy 2026-07-28; do
		[ -n "$python" ] || break
		client $mode "$python" tests/jvm/lib/mcp_client.py $mode \
			"$scratch/server" "$pid" "$other" || exit 1
	done
	[ -z "$modules" ] || client npm node tests/jvm/lib/mcp_client.mjs \
		"$modules" "$scratch/server" "$pid" "$other" || exit 1
	interrupted_calls_leave_nothing || exit 1
	many_calls_take_flat_memory || exit 1
	target_end "$pid"
	target_end "$other"
done
[ -n "$python" ] || echo "| no client of PyPI: $(tail -n 1 "$scratch/pip")"
[ -n "$modules" ] || echo "| no client of npm: $(tail -n 1 "$scratch/npm")"
[ -n "$python$modules" ] || { echo 'neither pip nor npm fetches a client'; exit 77; }
