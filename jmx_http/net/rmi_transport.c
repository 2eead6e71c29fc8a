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

/* A connected socket, or -1 with errno. */
static int dial(const struct sockaddr_storage *to, int64_t deadline_ns)
{
	socklen_t len = to->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
						  : sizeof(struct sockaddr_in);
	int fd = socket(to->ss_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int sys = 0, one = 1;

	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)to, len)) {
		socklen_t size = sizeof(sys);

		sys = errno;
		if (sys == EINPROGRESS) {
			sys = 0;
			if (wait_for(fd, POLLOUT, deadline_ns) < 0 ||
			    getsockopt(fd, SOL_SOCKET, SO_ERROR, &sys, &size))
				sys = errno;
		}
	}
	if (!sys) {
		/* A call and its return wait for one another. */
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		return fd;
	}
	close(fd);
	errno = sys;
	return -1;
}

enum error_kind rmi_connect_kind(int sys)
{
	switch (sys) {
	case ECONNREFUSED:
	case EHOSTUNREACH:
	case ENETUNREACH:
	case EADDRNOTAVAIL:
		return ERROR_NO_TARGET;
	default:
		return ERROR_REFUSED;
	}
}

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

int rmi_tcp_socket(const struct rmi_address *a, int64_t deadline_ns,
		   struct error *err)
{
	int fd = -1;
	size_t i;

	for (i = 0; i < a->count && fd < 0; i++) {
		int64_t now = clock_monotonic_ns();
		int64_t share = (deadline_ns - now) / (int64_t)(a->count - i);

		fd = dial(&a->list[i], now + share);
	}
	if (fd < 0) {
		struct text last = { 0 };

		rmi_address_add(&last, &a->list[i - 1]);
		fail_sys(err, rmi_connect_kind(errno), "cannot connect to %s",
			 last.bytes);
		text_release(&last);
	}
	return fd;
}

struct rmi_transport *rmi_tcp_connect(const struct rmi_address *a,
				      int64_t deadline_ns, struct error *err)
{
	int fd = rmi_tcp_socket(a, deadline_ns, err);

	return fd < 0 ? NULL : rmi_tcp_over(fd);
}

static struct rmi_transport *tcp_dial(struct rmi_dialer *d,
				      struct rmi_address *a,
				      int64_t deadline_ns, struct error *err)
{
	(void)d;
	if (rmi_address_resolve(a, deadline_ns, err))
		return NULL;
	return rmi_tcp_connect(a, deadline_ns, err);
}

struct rmi_dialer rmi_tcp_dialer = { .dial = tcp_dial };

void rmi_transport_close(struct rmi_transport *t)
{
	if (t)
		t->kind->close(t);
}
