/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of all dialers, and the two dialers that connect by TCP. */
#include "jmx_http/net/dialer.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/dns.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The result of an attempt for which dialer_dial() waits. */
struct dialed {
	bool is_done;
	int fd;
	struct error err;
};

static void dialer_on_done(void *self, evutil_socket_t fd,
			   const struct error *err)
{
	struct dialed *d = self;

	d->is_done = true;
	d->fd = fd;
	if (fd < 0)
		d->err = *err;
}

int dialer_dial(struct dialer *d, struct net_address *to, int64_t deadline_ns,
		struct error *err)
{
	struct dialed dialed = { .fd = -1 };

	if (d->ops->dial)
		return d->ops->dial(d, to, deadline_ns, err);
	d->ops->begin(d, to->port, deadline_ns - clock_monotonic_ns(),
		      dialer_on_done, &dialed);
	while (!dialed.is_done)
		event_base_loop(d->base, EVLOOP_ONCE);
	if (dialed.fd < 0)
		*err = dialed.err;
	return dialed.fd;
}

void dialer_free(struct dialer *d)
{
	if (d)
		d->ops->free(d);
}

void dial_begin(struct dial *d, struct dialer *dialer, uint16_t port,
		int64_t timeout_ns, dial_done_fn *done, void *self,
		event_callback_fn on_timer)
{
	*d = (struct dial){
		.dialer = dialer,
		.port = port,
		.deadline_ns = clock_after(clock_monotonic_ns(), timeout_ns),
		.timer = evtimer_new(dialer->base, on_timer, d),
		.done = done,
		.self = self,
	};
	if (!d->timer)
		alloc_give_up(sizeof(*d));
}

void dial_wait(struct dial *d, int64_t ns)
{
	struct timeval after = socket_timeval(ns);

	evtimer_add(d->timer, &after);
}

int64_t dial_left_ns(const struct dial *d)
{
	int64_t left = d->deadline_ns - clock_monotonic_ns();

	return left > 0 ? left : 0;
}

void dial_finish(struct dial *d, evutil_socket_t fd, const struct error *err)
{
	struct error copy = err ? *err : (struct error){ 0 };
	dial_done_fn *done = d->done;
	void *self = d->self;

	d->dialer->ops->cancel(d);
	done(self, fd, &copy);
}

/* The error kind for an errno of connect(2). */
static enum error_kind tcp_error_kind(int sys)
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

static void tcp_fail(const struct sockaddr_storage *to, int sys,
		     struct error *err)
{
	struct text name = { 0 };

	net_address_add(&name, to);
	errno = sys;
	fail_sys(err, tcp_error_kind(sys), "cannot connect to %s", name.bytes);
	text_release(&name);
}

/* Returns a socket that is connected or connecting; or -1 and errno. */
static int tcp_start(const struct sockaddr_storage *to)
{
	socklen_t len = to->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
						  : sizeof(struct sockaddr_in);
	int fd = socket(to->ss_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int sys, one = 1;

	if (fd < 0)
		return -1;
	/* RMI sends small messages in turns: Nagle's delay would add up. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(fd, (const struct sockaddr *)to, len) == 0 ||
	    errno == EINPROGRESS)
		return fd;
	sys = errno;
	close(fd);
	errno = sys;
	return -1;
}

/* The errno of a connect(2) that has finished; 0: connected. */
static int tcp_result(int fd)
{
	int sys = 0;
	socklen_t len = sizeof(sys);

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &sys, &len) ? errno : sys;
}

/* The time for the next address when `count` addresses are left. */
static int64_t tcp_share_ns(int64_t deadline_ns, size_t count)
{
	int64_t left_ns = deadline_ns - clock_monotonic_ns();

	return left_ns > 0 ? left_ns / (int64_t)count : 0;
}

static int tcp_wait(int fd, int64_t share_ns)
{
	int64_t deadline_ns = clock_after(clock_monotonic_ns(), share_ns);
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	int left_ms, count;

	do {
		left_ms = clock_left_ms(deadline_ns);
		count = left_ms ? poll(&ready, 1, left_ms) : 0;
		if (count > 0)
			return tcp_result(fd);
		if (count < 0 && errno != EINTR)
			return errno;
	} while (left_ms);
	return ETIMEDOUT;
}

int tcp_connect(const struct net_address *a, int64_t deadline_ns,
		struct error *err)
{
	for (size_t i = 0; i < a->count; i++) {
		int fd = tcp_start(&a->list[i]), sys = errno;

		if (fd >= 0)
			sys = tcp_wait(fd,
				       tcp_share_ns(deadline_ns, a->count - i));
		if (!sys)
			return fd;
		if (fd >= 0)
			close(fd);
		tcp_fail(&a->list[i], sys, err);
	}
	return -1;
}

static int tcp_dial_any(struct dialer *d, struct net_address *to,
			int64_t deadline_ns, struct error *err)
{
	(void)d;
	if (net_address_resolve(to, deadline_ns, err))
		return -1;
	return tcp_connect(to, deadline_ns, err);
}

static void tcp_free_any(struct dialer *d) { (void)d; }

static const struct dialer_ops tcp_any_ops = {
	.dial = tcp_dial_any,
	.free = tcp_free_any,
	.goes_anywhere = true,
	.crosses_network = true,
};

struct dialer tcp_dialer = { .ops = &tcp_any_ops };

/* Connects to one host, from an event loop. */
struct tcp_host {
	struct dialer dialer;
	struct net_address address;
	/* Resolves the name again if none of its addresses answers. */
	struct evdns_base *dns;
	struct evdns_getaddrinfo_request *question;
};

struct tcp_dial {
	struct dial dial;
	struct tcp_host *host;
	size_t at; /* index of the address */
	evutil_socket_t fd;
	struct error err;
};

/* Keeps the old addresses if the DNS reply has none. */
static void tcp_host_take(struct net_address *a,
			  const struct evutil_addrinfo *list)
{
	size_t count = 0;

	for (; list && count < NET_ADDRESSES_MAX; list = list->ai_next)
		if (list->ai_family == AF_INET || list->ai_family == AF_INET6)
			memcpy(&a->list[count++], list->ai_addr,
			       list->ai_addrlen);
	if (count)
		a->count = count;
}

static void tcp_host_on_resolved(int status, struct evutil_addrinfo *list,
				 void *arg)
{
	struct tcp_host *h = arg;

	/* Libevent reports a cancel late; the dialer may be freed by now. */
	if (status == EVUTIL_EAI_CANCEL)
		return;
	h->question = NULL;
	if (status == 0)
		tcp_host_take(&h->address, list);
	if (list)
		evutil_freeaddrinfo(list);
}

/* A host may come back with another address. */
static void tcp_host_resolve(struct tcp_host *h)
{
	const struct evutil_addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_protocol = IPPROTO_TCP,
	};
	struct in6_addr unused;

	if (h->question || inet_pton(AF_INET, h->address.host, &unused) == 1 ||
	    inet_pton(AF_INET6, h->address.host, &unused) == 1)
		return;
	if (!h->dns)
		h->dns = evdns_base_new(
			h->dialer.base,
			EVDNS_BASE_INITIALIZE_NAMESERVERS |
				EVDNS_BASE_DISABLE_WHEN_INACTIVE);
	if (h->dns)
		h->question = evdns_getaddrinfo(h->dns, h->address.host, NULL,
						&hints, tcp_host_on_resolved,
						h);
}

/* sin_port and sin6_port have the same offset. */
static struct sockaddr_storage tcp_dial_address(const struct tcp_dial *d)
{
	struct sockaddr_storage to = d->host->address.list[d->at];

	((struct sockaddr_in *)&to)->sin_port = htons(d->dial.port);
	return to;
}

static void tcp_dial_on_event(evutil_socket_t fd, short what, void *arg);

/* Tries the remaining addresses. */
static void tcp_dial_next(struct tcp_dial *d)
{
	for (; d->at < d->host->address.count; d->at++) {
		struct sockaddr_storage to = tcp_dial_address(d);
		size_t left = d->host->address.count - d->at;
		struct timeval limit = socket_timeval(
			tcp_share_ns(d->dial.deadline_ns, left));

		d->fd = tcp_start(&to);
		if (d->fd < 0) {
			tcp_fail(&to, errno, &d->err);
			continue;
		}
		event_assign(d->dial.timer, d->dial.dialer->base, d->fd,
			     EV_WRITE, tcp_dial_on_event, d);
		event_add(d->dial.timer, &limit);
		return;
	}
	tcp_host_resolve(d->host);
	dial_finish(&d->dial, -1, &d->err);
}

static void tcp_dial_on_event(evutil_socket_t fd, short what, void *arg)
{
	struct tcp_dial *d = arg;
	struct sockaddr_storage to = tcp_dial_address(d);
	int sys = what & EV_WRITE ? tcp_result(fd) : ETIMEDOUT;

	d->fd = -1;
	if (!sys) {
		dial_finish(&d->dial, fd, NULL);
		return;
	}
	tcp_fail(&to, sys, &d->err);
	close(fd);
	d->at++;
	tcp_dial_next(d);
}

static void tcp_dial_on_begin(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	tcp_dial_next(arg);
}

static struct dial *tcp_host_begin(struct dialer *dialer, uint16_t port,
				   int64_t timeout_ns, dial_done_fn *done,
				   void *self)
{
	struct tcp_dial *d = xcalloc(1, sizeof(*d));

	dial_begin(&d->dial, dialer, port, timeout_ns, done, self,
		   tcp_dial_on_begin);
	d->host = (struct tcp_host *)dialer;
	d->fd = -1;
	fail(&d->err, ERROR_NO_TARGET, "%s: the host has no address",
	     d->host->address.host);
	dial_wait(&d->dial, 0);
	return &d->dial;
}

static void tcp_dial_cancel(struct dial *dial)
{
	struct tcp_dial *d = (struct tcp_dial *)dial;

	if (d->fd >= 0)
		close(d->fd);
	event_free(dial->timer);
	free(d);
}

static void tcp_host_free(struct dialer *dialer)
{
	struct tcp_host *h = (struct tcp_host *)dialer;

	if (h->question)
		evdns_getaddrinfo_cancel(h->question);
	if (h->dns)
		evdns_base_free(h->dns, 0);
	free(h);
}

static const struct dialer_ops tcp_host_ops = {
	.begin = tcp_host_begin,
	.cancel = tcp_dial_cancel,
	.free = tcp_host_free,
	.crosses_network = true,
};

struct dialer *tcp_dialer_new(struct event_base *base,
			      const struct net_address *address)
{
	struct tcp_host *h = xcalloc(1, sizeof(*h));

	h->dialer = (struct dialer){ .ops = &tcp_host_ops, .base = base };
	h->address = *address;
	return &h->dialer;
}
