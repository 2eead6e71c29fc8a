/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/net/rmi_transport.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What came while there was something to write; more than that stays. */
#define EARLY_MAX ((size_t)64 << 20)
#define PIECE     65536

struct tcp {
	struct rmi_transport base;
	int fd; /* non-blocking */
	struct text early;
	size_t early_at; /* so much of it was read */
};

/* Which of the events are there; -1 with errno, ETIMEDOUT at the deadline. */
static int wait_for(int fd, short events, int64_t deadline_ns)
{
	struct pollfd ready = { .fd = fd, .events = events };

	for (;;) {
		int left_ms = clock_left_ms(deadline_ns);
		int count = left_ms ? poll(&ready, 1, left_ms) : 0;

		if (count > 0)
			return ready.revents;
		if (count == 0 && clock_left_ms(deadline_ns) == 0) {
			errno = ETIMEDOUT;
			return -1;
		}
		if (count < 0 && errno != EINTR)
			return -1;
	}
}

static size_t read_early(struct tcp *tcp, void *bytes, size_t len)
{
	size_t left = tcp->early.len - tcp->early_at;

	if (len > left)
		len = left;
	memcpy(bytes, tcp->early.bytes + tcp->early_at, len);
	tcp->early_at += len;
	if (tcp->early_at == tcp->early.len) {
		text_release(&tcp->early);
		tcp->early_at = 0;
	}
	return len;
}

static ssize_t tcp_read(struct rmi_transport *t, void *bytes, size_t len,
			int64_t deadline_ns, struct error *err)
{
	struct tcp *tcp = (struct tcp *)t;

	if (tcp->early.len)
		return (ssize_t)read_early(tcp, bytes, len);
	for (;;) {
		ssize_t got;

		/* First, so that an endless answer does not outlast it. */
		if (wait_for(tcp->fd, POLLIN, deadline_ns) < 0)
			break;
		got = recv(tcp->fd, bytes, len, 0);
		if (got >= 0)
			return got;
		if (errno != EAGAIN && errno != EINTR)
			break;
	}
	return fail_sys(err, ERROR_REFUSED, "cannot read");
}

/* True unless there is no end of it, or there was one: that is left to see. */
static bool take_early(struct tcp *tcp)
{
	char piece[PIECE];
	ssize_t got;

	if (tcp->early.len >= EARLY_MAX)
		return false;
	got = recv(tcp->fd, piece, sizeof(piece), 0);
	if (got > 0)
		text_add(&tcp->early, piece, (size_t)got);
	return got > 0;
}

/*
 * Who reads nothing while it wants to write may have a peer that does the same:
 * both would wait for the other.
 */
static int wait_to_write(struct tcp *tcp, int64_t deadline_ns)
{
	short wanted = POLLIN | POLLOUT;

	for (;;) {
		int seen = wait_for(tcp->fd, wanted, deadline_ns);

		if (seen < 0)
			return -1;
		if (seen & ~POLLIN)
			return 0;
		if (!take_early(tcp))
			wanted = POLLOUT;
	}
}

static int tcp_write(struct rmi_transport *t, const void *bytes, size_t len,
		     int64_t deadline_ns, struct error *err)
{
	struct tcp *tcp = (struct tcp *)t;
	const char *at = bytes;

	while (len) {
		ssize_t put;

		if (wait_to_write(tcp, deadline_ns))
			return fail_sys(err, ERROR_REFUSED, "cannot write");
		put = send(tcp->fd, at, len, MSG_NOSIGNAL);
		if (put > 0) {
			at += put;
			len -= (size_t)put;
		} else if (errno != EAGAIN && errno != EINTR) {
			return fail_sys(err, ERROR_REFUSED, "cannot write");
		}
	}
	return 0;
}

static void tcp_close(struct rmi_transport *t)
{
	struct tcp *tcp = (struct tcp *)t;

	close(tcp->fd);
	text_release(&tcp->early);
	free(tcp);
}

static const struct rmi_transport_kind tcp_kind = {
	.read = tcp_read,
	.write = tcp_write,
	.close = tcp_close,
};

struct rmi_transport *rmi_tcp_over(int fd)
{
	struct tcp *tcp = xcalloc(1, sizeof(*tcp));
	socklen_t len = sizeof(tcp->base.local);

	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	tcp->base.kind = &tcp_kind;
	tcp->fd = fd;
	getsockname(fd, (struct sockaddr *)&tcp->base.local, &len);
	len = sizeof(tcp->base.peer);
	getpeername(fd, (struct sockaddr *)&tcp->base.peer, &len);
	return &tcp->base;
}

struct rmi_transport *rmi_transport_dial(struct dialer *d,
					 struct rmi_address *a,
					 int64_t deadline_ns, struct error *err)
{
	int fd;

	if (d->ops->connect)
		return d->ops->connect(d, a, deadline_ns, err);
	fd = dialer_dial(d, a, deadline_ns, err);
	return fd < 0 ? NULL : rmi_tcp_over(fd);
}

void rmi_transport_close(struct rmi_transport *t)
{
	if (t)
		t->kind->close(t);
}
