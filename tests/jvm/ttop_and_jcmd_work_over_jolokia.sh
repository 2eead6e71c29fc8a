# SPDX-License-Identifier: Apache-2.0
# ttop -u and jcmd -u with the real agent: CPU and allocation of threads, two
# requests an interval at most over one connection, contention monitoring that
# is disabled again, even if ttop is killed; HTTP proxies; an API server's path
# to a pod.
sjkc=$(realpath "$1") scratch=$(realpath "$2")
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY

# A fake HTTP proxy and a fake API server with a pod proxy: requests for
# POD_PATH need the token, and requests for a whole URL come from the client of
# an HTTP proxy.  It logs each connection and each request.
cat >"$scratch/front.py" <<'END'
import http.client, http.server, signal, sys
signal.alarm(300)
agent, log = sys.argv[1], open(sys.argv[2], "a", buffering=1)
POD_PATH = "/api/v1/namespaces/shop/pods/http:cart-0:8778/proxy"

class Front(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def setup(self):
        super().setup()
        log.write("connection\n")

    def log_message(self, *unused):
        pass

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        log.write(f"request {self.path} {self.headers.get('X-Tenant')}\n")
        if self.path.startswith("http://"):
            path = "/" + self.path.split("/", 3)[3]
        elif not self.path.startswith(POD_PATH):
            path = self.path
        elif self.headers.get("Authorization") != "Bearer abc.def-123":
            return self.answer(401, "application/json", b'{"kind":"Status"}')
        else:
            path = self.path[len(POD_PATH):]
        c = http.client.HTTPConnection(agent)
        c.request("POST", path, body, {"Content-Type": "application/json"})
        r = c.getresponse()
        self.answer(r.status, r.headers["Content-Type"], r.read())

s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Front)
print(s.server_port, flush=True)
s.serve_forever()
END

front() {
	: >"$scratch/front"
	: >"$scratch/log"
	python3 "$scratch/front.py" "127.0.0.1:$port" "$scratch/log" \
		>"$scratch/front" 2>"$scratch/front.err" &
	target_pids="$target_pids $!"
	target_wait "$scratch/front" '^[0-9]' &&
		front=127.0.0.1:$(cat "$scratch/front")
}

monitored() {
	ask 0 mx -u "$url" -b java.lang:type=Threading --get \
		-f ThreadContentionMonitoringEnabled -q && printed "$1"
}

shows_threads() {
	: >"$scratch/log"
	ask 0 ttop -u "http://$front/jolokia" --json -c -ri 500ms \
		--iterations 4 -n 0 || return
	python3 - "$scratch/out" "$scratch/log" <<-'END' || return
		import json, sys
		reports = [json.loads(l) for l in open(sys.argv[1])]
		assert len(reports) == 4, len(reports)
		t = {t["name"]: t for t in reports[-1]["threads"]}
		assert t["burner-0"]["cpu_pct"] > 1, t["burner-0"]
		assert t["allocator-0"]["alloc_bytes_per_s"] > 0
		assert t["burner-0"]["wait_pct"] is not None
		assert reports[-1]["process"]["cpu_pct"] > 0
		assert reports[-1]["process"]["gc"]
		log = open(sys.argv[2]).read().splitlines()
		requests = sum(l.startswith("request") for l in log)
		# Two requests to connect and find collectors, two to enable
		# contention monitoring, two to disable it, and five samples.
		assert requests <= 6 + 5 * 2, log
		# The cleanup process does not connect unless ttop was killed.
		assert log.count("connection") == 1, log
	END
	monitored false
}

is_restored_after_a_kill() {
	"$sjkc" ttop -u "$url" -b -c -ri 200ms >"$scratch/ttop" 2>&1 \
		</dev/null &
	ttop=$!
	target_pids="$target_pids $ttop"
	target_wait "$scratch/ttop" burner-0 && monitored true || return
	kill -KILL $ttop
	for _ in $(seq 1 100); do
		monitored false >/dev/null && return
		sleep 0.1
	done
	echo 'contention monitoring stays enabled'
	return 1
}

runs_commands() {
	ask 0 jcmd -u "$url" VM.version && printed VM &&
		ask 0 jcmd -u "$url" Thread.print && printed '"burner-0"' &&
		ask 0 jcmd "$url" help && printed GC.heap_info &&
		ask 3 jcmd -u "$url" VM.versoin && said VM.version &&
		said "sjkc jcmd -u $url help"
}

goes_through_proxies() {
	pod="http://$front/api/v1/namespaces/shop/pods/http:cart-0:8778/proxy"
	runtime="-b java.lang:type=Runtime --get -f VmName -q"
	echo abc.def-123 >"$scratch/token"
	chmod 600 "$scratch/token"
	# shellcheck disable=SC2086 # words
	ask 0 mx -u "$pod/jolokia" --bearer-file "$scratch/token" \
		-H 'X-Tenant: blue' $runtime && printed VM &&
		grep -q 'request /api/.* blue' "$scratch/log" &&
		ask 4 mx -u "$pod/jolokia" $runtime &&
		said 'requires a login' &&
		ask 0 mxping -u "$pod/jolokia" --bearer-file \
			"$scratch/token" || return
	# The proxy resolves the name.
	far=http://agent.invalid:8778/jolokia
	# shellcheck disable=SC2086 # words
	ask 0 mx -u $far --http-proxy "http://$front" $runtime &&
		printed VM && http_proxy=http://$front ask 0 mx -u $far $runtime &&
		ask 0 mxping -u $far --http-proxy "http://$front" &&
		ask 3 mx -u $far $runtime && said 'agent.invalid'
}

check() {
	jolokia_target "$1" Target -Dtarget.duty=25 -- burners=1 allocators=1 && front &&
		shows_threads && is_restored_after_a_kill && runs_commands &&
		goes_through_proxies
}

for_each_jdk check
