# Web servers: a gateway without its application, redirects, JSON, logins, a
# path of an agent that requires a login; then an HTTP proxy that is not there.
unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy
cat >web.py <<'END'
import http.server, signal, sys
signal.alarm(60)

class Web(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        status, name, value, body = {
            "/gateway": (503, "Content-Type", "text/html", b"<html>"),
            "/loop": (302, "Location", "/loop", b""),
            "/session": (302, "Location", "/login", b""),
            "/login": (200, "Content-Type", "text/html", b"<html>"),
            "/health": (200, "Content-Type", "a/json", b'{"status":"UP"}'),
            "/token": (401, "WWW-Authenticate", "Bearer", b""),
            "/basic": (401, "WWW-Authenticate", "Basic realm=a", b""),
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

# serve STATUS: starts a server that sends this status for /jolokia.
serve() {
	: >port
	/usr/bin/python3 web.py "$1" >port &
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
ping /basic --user me --password-file password
ping /token --user me --password-file password
ping /basic --bearer-file password
kill "$server"
serve 401
ping /
kill "$server"
wait
ping / --http-proxy "http://127.0.0.1:1"
