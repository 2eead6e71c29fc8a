# An agent ends before mx sends the call: mx does not say that the JVM may have
# executed it.
unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy
cat >agent.py <<'END'
import http.server, json, signal
signal.alarm(60)
VALUES = {"version": {"agent": "1.7.1", "protocol": "7.2"},
          "read": "17", "search": ["a:b=c"],
          "list": {"op": {"run": {"args": [], "ret": "void", "desc": ""}},
                   "attr": {}, "desc": "", "class": "C"}}
done = set()

class Agent(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        replies = []
        for one in asked if isinstance(asked, list) else [asked]:
            done.add(one["type"])
            replies.append({"status": 200, "value": VALUES[one["type"]]})
        body = json.dumps(replies if isinstance(asked, list)
                          else replies[0]).encode()
        if "list" in done:
            server.socket.close()
        self.send_response_only(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *unused):
        pass

server = http.server.HTTPServer(("127.0.0.1", 0), Agent)
print(server.server_port, flush=True)
while "list" not in done:
    server.handle_request()
END
/usr/bin/python3 agent.py >port &
while [ ! -s port ]; do sleep 0.05; done
port=$(cat port)
sjkc mx -u "http://127.0.0.1:$port/jolokia" -b a:b=c --call --op run 2>&1 |
	sed "s/$port/PORT/g"
wait
