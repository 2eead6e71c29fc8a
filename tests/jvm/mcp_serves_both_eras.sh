# SPDX-License-Identifier: Apache-2.0
# Only in check-all: it takes a minute, and fetches two clients.
# Clients of PyPI and npm call each tool of `sjkc mcp` in each era, for a JVM with 2,000
# threads. Each line conforms to the schemas, answers to their limits, and hostile names
# stay in strings.
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

# server: $scratch/server is a command that keeps the lines of its session. It ends
# with sjkc, so that a client does not wait for it.
server() {
	cat >"$scratch/server" <<-END
		#!/bin/sh
		tee "$scratch/in" | {
			"$sjkc" mcp --pid "$pid" --pid "$other" \
				--dir "$scratch" --allow stop,load,probe,files
			kill \$\$
		} | tee "$scratch/out"
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
	target "$jdk" -Dtarget.seconds=1200 -- threads=5 hostile || exit 1
	other=$pid
	target "$jdk" -Dtarget.seconds=1200 -- threads=2000 blocked=50 burners=1 \
		hostile || exit 1
	server
	for mode in auto legacy 2026-07-28; do
		[ -n "$python" ] || break
		client $mode "$python" tests/jvm/lib/mcp_client.py $mode \
			"$scratch/server" "$pid" "$other" || exit 1
	done
	[ -z "$modules" ] || client npm node tests/jvm/lib/mcp_client.mjs \
		"$modules" "$scratch/server" "$pid" "$other" || exit 1
	target_end "$pid"
	target_end "$other"
done
[ -n "$python" ] || echo "| no client of PyPI: $(tail -n 1 "$scratch/pip")"
[ -n "$modules" ] || echo "| no client of npm: $(tail -n 1 "$scratch/npm")"
[ -n "$python$modules" ] || { echo 'neither pip nor npm fetches a client'; exit 77; }
