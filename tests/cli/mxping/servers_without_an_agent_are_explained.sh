# Web servers: API servers of Kubernetes and other gateways with a reason, an
# agent that requires the header Origin, a path at which the connection ends, a gateway
# without its application, redirects, JSON, logins, a path of an agent that requires a
# login, an agent below the actuator of Spring Boot; then an HTTP proxy that is not there.
unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy
cat >web.py <<'END'
import http.server, json, signal, sys
signal.alarm(60)

def kubernetes(status, message):
    return (status, "Content-Type", "application/json",
            json.dumps({"kind": "Status", "apiVersion": "v1", "metadata": {},
                        "status": "Failure", "message": message,
                        "code": status}, indent=2).encode())

def agent(origin):
    reply = ({"status": 200, "value": {"agent": "1.7.1", "protocol": "7.2"}}
             if origin else
             {"status": 403, "error_type": "java.lang.Exception", "error":
              "java.lang.Exception : Origin null is not allowed to call this "
              "agent"})
    return 200, "Content-Type", "text/plain", json.dumps(reply).encode()

class Web(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/cut/":
            return
        status, name, value, body = {
            "/gateway": (503, "Content-Type", "text/html", b"<html>"),
            "/loop": (302, "Location", "/loop", b""),
            "/session": (302, "Location", "/login", b""),
            "/login": (200, "Content-Type", "text/html", b"<html>"),
            "/health": (200, "Content-Type", "a/json", b'{"status":"UP"}'),
            "/actuator": (200, "Content-Type", "a/json", b'{"_links":{}}'),
            "/actuator/jolokia": agent(True) if sys.argv[2:] else
                (404, "Content-Type", "a/b", b""),
            "/token": (401, "WWW-Authenticate", "Bearer", b""),
            "/basic": (401, "WWW-Authenticate", "Basic realm=a", b""),
            "/forbidden/proxy": kubernetes(403, 'pods "web-0:8778" is '
                'forbidden: User "dev" cannot create resource "pods/proxy" in '
                'API group "" in the namespace "shop"'),
            "/gone/proxy": kubernetes(404, 'pods "web-0" not found'),
            "/dial/proxy": kubernetes(503, "error trying to reach service: "
                "dial tcp 10.1.2.3:8778: connect: connection refused"),
            "/tls/proxy": kubernetes(503, "error trying to reach service: "
                "tls: first record does not look like a TLS handshake"),
            "/large": (413, "Content-Type", "text/html", b"<html><head><title>"
                b"413 Request Entity Too Large</title></head></html>"),
            "/rate": (429, "Content-Type", "text/plain", b"slow down\n"),
            "/post": (405, "Allow", "GET", b"<html>"),
            "/spring": (404, "Content-Type", "application/json",
                b'{"status":404,"error":"Not Found","path":"/spring"}'),
            "/agent/": agent(True),
            "/slashless": agent(True),
            "/artemis": agent(self.headers.get("Origin")),
            "/jolokia": (int(sys.argv[1]), "Content-Type", "a/b", b""),
        }.get(self.path, (404, "Content-Type", "a/b", b""))
        self.send_response_only(status)
        self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *unused):
        pass

server = http.server.HTTPServer(("127.0.0.1", 0), Web)
print(server.server_port, flush=True)
server.serve_forever()
END

# serve STATUS [actuator]: starts a server that sends this status for /jolokia, and
# that has an agent at /actuator/jolokia.
serve() {
	: >port
	/usr/bin/python3 web.py "$@" >port &
	server=$!
	while [ ! -s port ]; do sleep 0.05; done
	port=$(cat port)
}

# ping PATH [OPTION...]: the failed step, the verdict and the fixes.
ping() {
	path=$1
	shift
	sjkc mxping -u "http://127.0.0.1:$port$path" "$@" >out 2>/dev/null
	status=$?
	sed -n "s/ *[0-9.]* ms/ MS/; s/$port/PORT/g; /^ok/d
		s/Failed to .* server; /REASON; /; /^http/d; p" out
	echo "exit status $status"
}

echo secret >password
chmod 600 password
serve 404
for path in /gateway /loop /session /health; do
	ping "$path"
done
for path in /forbidden/proxy /gone/proxy /dial/proxy /tls/proxy /large /rate \
	/post /spring /artemis /cut; do
	echo "== $path"
	ping "$path"
	sjkc mx -u "http://127.0.0.1:$port$path" -b a:b=c --get 2>&1 |
		sed "s/$port/PORT/g"
	sjkc mx -u "http://127.0.0.1:$port$path" -b a:b=c --get 2>/dev/null
	echo "exit status $?"
done
for path in /agent /slashless/; do
	echo "== $path"
	ping "$path" | sed -n 1p
	sjkc mxping -u "http://127.0.0.1:$port$path" 2>/dev/null |
		sed -n "s/$port/PORT/g; s/ *[0-9.]* ms/ MS/; /^ok  *http/p"
done
echo "== logins"
ping /basic --user me --password-file password
ping /token --user me --password-file password
ping /basic --bearer-file password
kill "$server"
serve 401
ping /
kill "$server"
echo "== an agent at another path"
serve 404 actuator
for path in / /actuator /post /session; do
	ping "$path"
	sjkc mx -u "http://127.0.0.1:$port$path" -b a:b=c --get 2>/dev/null
	echo "mx: exit status $?"
done
kill "$server"
wait
ping / --http-proxy "http://127.0.0.1:1"
