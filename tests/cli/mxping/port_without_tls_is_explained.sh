# A server that sends no TLS, and closes each connection.
/usr/bin/python3 - >port <<'END' &
import socket
server = socket.create_server(("127.0.0.1", 0))
server.settimeout(20)
print(server.getsockname()[1], flush=True)
while True:
    client = server.accept()[0]
    client.recv(1000)
    client.close()
END
server=$!
while [ ! -s port ]; do sleep 0.05; done
port=$(cat port)
sjkc mxping -u "https://127.0.0.1:$port" 2>&1 |
	sed "s/ *[0-9.]* ms/ MS/; s/$port/PORT/g; s/from .*/from CLIENT/"
kill "$server"
