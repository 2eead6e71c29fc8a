/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_peer PORT BYTES: an HTTP server on 127.0.0.1 that uses little CPU time.
 * Every response has the same BYTES bytes of JSON.  Requests must fit into one
 * buffer; pipelining is not supported.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS_MAX 4096
#define REQUEST_MAX 8192

static struct {
	char bytes[REQUEST_MAX + 1];
	size_t len;
} requests[CLIENTS_MAX];

static char *response;
static size_t response_len;

static void make_response(size_t body)
{
	response = malloc(body + 256);
	response_len = (size_t)sprintf(response,
				       "HTTP/1.1 200 OK\r\nContent-Type: "
				       "application/json\r\nContent-Length: "
				       "%zu\r\n\r\n",
				       body);
	memset(response + response_len, ' ', body);
	memcpy(response + response_len, "{\"status\":200}", 14);
	response_len += body;
}

/* True if the head and a body of its length have arrived. */
static int is_whole(const char *bytes, size_t len)
{
	const char *end = strstr(bytes, "\r\n\r\n");
	const char *length = strcasestr(bytes, "\r\nContent-Length:");
	size_t body = 0;

	if (!end)
		return 0;
	if (length && length < end)
		body = strtoul(length + 17, NULL, 10);
	return len >= (size_t)(end - bytes) + 4 + body;
}

static void send_all(int fd)
{
	size_t sent = 0;

	while (sent < response_len) {
		ssize_t n = send(fd, response + sent, response_len - sent, 0);

		if (n <= 0)
			return;
		sent += (size_t)n;
	}
}

static void serve(int fd)
{
	size_t *len = &requests[fd].len;
	char *bytes = requests[fd].bytes;
	ssize_t n = read(fd, bytes + *len, REQUEST_MAX - *len);

	if (n <= 0) {
		close(fd);
		return;
	}
	*len += (size_t)n;
	bytes[*len] = '\0';
	if (is_whole(bytes, *len)) {
		*len = 0;
		send_all(fd);
	}
}

static void take_client(int listener, int epoll)
{
	int fd = accept(listener, NULL, NULL), on = 1;
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	if (fd < 0 || fd >= CLIENTS_MAX) {
		close(fd);
		return;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	requests[fd].len = 0;
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	int epoll = epoll_create1(0), count;
	struct epoll_event events[256];
	struct epoll_event e = { .events = EPOLLIN, .data.fd = listener };

	if (argc != 3)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	make_response(strtoul(argv[2], NULL, 10));
	at.sin_port = htons((unsigned short)atoi(argv[1]));
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, (struct sockaddr *)&at, sizeof(at)) ||
	    listen(listener, 512))
		return 1;
	epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &e);
	while ((count = epoll_wait(epoll, events, 256, -1)) > 0)
		for (int i = 0; i < count; i++)
			if (events[i].data.fd == listener)
				take_client(listener, epoll);
			else
				serve(events[i].data.fd);
	return 0;
}
