# A stand-in for an agent of Jolokia 2.x, whose store discards 2 notifications; it
# prints the commands that it receives.  SIGINT unregisters the client.
command -v python3 >/dev/null || { echo 'no python3'; exit 77; }
cat >agent.py <<'END'
import http.server, json, os, signal
signal.alarm(120)
pulls = 0
def answer(q):
    global pulls
    if q["type"] == "version":
        return {"agent": "2.6.1", "protocol": "8.2"}
    if q["type"] == "read":
        return "17.0.1+2"
    if q["type"] == "search":
        return ["a:type=Store"]
    if q["type"] == "exec":
        pulls += 1
        if pulls == 3:
            open("pulled", "w").close()
        return [None, {"dropped": 2, "handle": "7", "notifications": [
            {"type": "jmx.attribute.change", "message": "changed",
             "sequenceNumber": 9, "timeStamp": 1700000000000,
             "source": {"objectName": "a:type=Store"},
             "userData": {"key": 9007199254740993}}]}][pulls == 2]
    if q["command"] != "ping":
        print(*(q[key] for key in ("command", "client", "mbean")
                if key in q), file=log, flush=True)
    return {"register": {"id": "c-1", "backend": {"pull": {
                "store": "jolokia:type=NotificationStore,agent=a"}}},
            "add": "7"}.get(q["command"])
class Agent(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_):
        pass
    def do_POST(self):
        q = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        one = lambda q: {"value": answer(q), "status": 200}
        body = json.dumps([one(i) for i in q] if isinstance(q, list)
                          else one(q)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
log = open("commands", "w")
server = http.server.HTTPServer(("127.0.0.1", 0), Agent)
with open("port.new", "w") as f:
    f.write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
END
python3 agent.py &
agent=$!
trap 'kill $agent' EXIT
wait_for() {
	for _ in $(seq 600); do
		[ ! -e "$1" ] || return
		sleep 0.1
	done
	echo "no $1"
	exit 1
}
wait_for port
env --default-signal=INT sjkc mx -u "http://127.0.0.1:$(cat port)/jolokia" \
	-b a:type=Store --notifications --json >out 2>err &
client=$!
wait_for pulled
kill -INT $client
wait $client
echo "exit status $?"
cat out
sed 's/:[0-9]*\/jolokia/:PORT\/jolokia/' err
cat commands
