/* SPDX-License-Identifier: Apache-2.0 */
/* Sets options of sockets and reads their addresses. */
#include "jmx_http/net/socket.h"

#include "core/base/clock.h"

#include <arpa/inet.h>
#include <event2/bufferevent_ssl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <unistd.h>

#define READ_LEN 16384
/* Bytes that the event loop reads at a time. */
#define LOOP_LEN 4096

static void socket_set_option(int fd, int level, int name, int value)
{
	/* Fails without harm on sockets that are not TCP. */
	setsockopt(fd, level, name, &value, sizeof(value));
}

void socket_set(int fd)
{
	socket_set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	socket_set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	socket_set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
	socket_set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
	socket_set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

void socket_reset_on_close(int fd)
{
	const struct linger at_once = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

void socket_add_host(struct text *out, const struct sockaddr_storage *a)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)a;
	const struct sockaddr_in *four = (const struct sockaddr_in *)a;
	char host[INET6_ADDRSTRLEN] = "?";

	/* An IPv6 socket reports IPv4 clients as ::ffff:1.2.3.4. */
	if (a->ss_family == AF_INET)
		inet_ntop(AF_INET, &four->sin_addr, host, sizeof(host));
	else if (a->ss_family == AF_INET6 &&
		 IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
		inet_ntop(AF_INET, six->sin6_addr.s6_addr + 12, host,
			  sizeof(host));
	else if (a->ss_family == AF_INET6)
		inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof(host));
	text_puts(out, host);
}

uint16_t socket_port(const struct sockaddr_storage *a)
{
	/* sin_port and sin6_port have the same offset. */
	return ntohs(((const struct sockaddr_in *)a)->sin_port);
}

struct timeval socket_timeval(int64_t ns)
{
	struct timeval tv = { 0 };

	if (ns > 0) {
		tv.tv_sec = ns / CLOCK_NS_PER_S;
		tv.tv_usec = ns % CLOCK_NS_PER_S / 1000;
	}
	return tv;
}

bool socket_pull(struct bufferevent *b)
{
	SSL *ssl = bufferevent_openssl_get_ssl(b);
	struct evbuffer *in = bufferevent_get_input(b);
	char bytes[4096];
	bool any = false;

	while (ssl && SSL_pending(ssl) > 0) {
		int got = SSL_read(ssl, bytes, sizeof(bytes));

		if (got <= 0 || evbuffer_add(in, bytes, (size_t)got))
			break;
		any = true;
	}
	return any;
}

void socket_send(struct bufferevent *to, struct evbuffer *bytes)
{
	struct evbuffer *waiting = bufferevent_get_output(to);

	/* The loop reports errors. */
	if (!bufferevent_openssl_get_ssl(to) && !evbuffer_get_length(waiting))
		evbuffer_write(bytes, bufferevent_getfd(to));
	if (evbuffer_get_length(bytes))
		bufferevent_write_buffer(to, bytes);
}

bool socket_fill(struct bufferevent *from, struct evbuffer *to, size_t max)
{
	size_t before = evbuffer_get_length(to);
	bool is_tls = bufferevent_openssl_get_ssl(from);
	bool more = true;

	bufferevent_read_buffer(from, to);
	if (is_tls && socket_pull(from))
		bufferevent_read_buffer(from, to);
	while (!is_tls && more && evbuffer_get_length(to) < max) {
		struct evbuffer_iovec space;
		ssize_t got;

		/* Less than one read of the event loop: there is no more. */
		if (evbuffer_get_length(to) - before < LOOP_LEN ||
		    evbuffer_reserve_space(to, READ_LEN, &space, 1) < 1)
			break;
		/* The event loop handles the end of file and errors. */
		got = read(bufferevent_getfd(from), space.iov_base, READ_LEN);
		space.iov_len = got > 0 ? (size_t)got : 0;
		evbuffer_commit_space(to, &space, 1);
		more = got == READ_LEN;
	}
	return evbuffer_get_length(to) > before;
}
