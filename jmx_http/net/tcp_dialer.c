/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/net/rmi_transport.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/dns.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tcp_dialer {
	struct dialer dialer;
	struct event_base *base;
	struct rmi_address address;
	/* Asked for the name again when none of its addresses answers. */
	struct evdns_base *dns;
	struct evdns_getaddrinfo_request *question;
};

struct tcp_dial {
	struct dial dial;
	struct tcp_dialer *to;
	uint16_t port;
	size_t at; /* of the addresses */
	int64_t deadline_ns;
	evutil_socket_t fd;
	struct event *event;
	struct error err;
	dial_done_fn *done;
	void *self;
};

static void free_dial(struct tcp_dial *d)
{
	event_free(d->event);
	free(d);
}

/* What it was is kept when nobody knows better. */
static void take_addresses(struct rmi_address *a,
			   const struct evutil_addrinfo *list)
{
	size_t count = 0;

	for (; list && count < RMI_ADDRESSES_MAX; list = list->ai_next)
		if (list->ai_family == AF_INET || list->ai_family == AF_INET6)
			memcpy(&a->list[count++], list->ai_addr,
			       list->ai_addrlen);
	if (count)
		a->count = count;
}

static void on_answer(int status, struct evutil_addrinfo *list, void *arg)
{
	struct tcp_dialer *d = arg;

	/* That is said later, when the dialer may be freed. */
	if (status == EVUTIL_EAI_CANCEL)
		return;
	d->question = NULL;
	if (status == 0)
		take_addresses(&d->address, list);
	if (list)
		evutil_freeaddrinfo(list);
}

/* A host that is back may be so at another address. */
static void ask_again(struct tcp_dialer *d)
{
	const struct evutil_addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_protocol = IPPROTO_TCP,
	};
	struct in6_addr unused;

	if (d->question || inet_pton(AF_INET, d->address.host, &unused) == 1 ||
	    inet_pton(AF_INET6, d->address.host, &unused) == 1)
		return;
	if (!d->dns)
		d->dns = evdns_base_new(
			d->base, EVDNS_BASE_INITIALIZE_NAMESERVERS |
					 EVDNS_BASE_DISABLE_WHEN_INACTIVE);
	if (d->dns)
		d->question = evdns_getaddrinfo(d->dns, d->address.host, NULL,
						&hints, on_answer, d);
}

static void finish(struct tcp_dial *d, evutil_socket_t fd)
{
	dial_done_fn *done = d->done;
	void *self = d->self;
	struct error err = d->err;

	if (fd < 0)
		ask_again(d->to);
	free_dial(d);
	done(self, fd, &err);
}

static void failed(struct tcp_dial *d, int sys)
{
	struct text name = { 0 };
	struct sockaddr_storage to = d->to->address.list[d->at];

	((struct sockaddr_in *)&to)->sin_port = htons(d->port);
	rmi_address_add(&name, &to);
	errno = sys;
	fail_sys(&d->err, rmi_connect_kind(sys), "%s", name.bytes);
	text_release(&name);
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
	d->at++;
}

/* The port of IPv4 and IPv6 stands in the same place. */
static int begin_connect(struct tcp_dial *d)
{
	struct sockaddr_storage to = d->to->address.list[d->at];
	socklen_t len = to.ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
						 : sizeof(struct sockaddr_in);

	((struct sockaddr_in *)&to)->sin_port = htons(d->port);
	d->fd = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
		       0);
	if (d->fd < 0)
		return -1;
	if (connect(d->fd, (struct sockaddr *)&to, len) == 0 ||
	    errno == EINPROGRESS)
		return 0;
	return -1;
}

/* Each address gets its part of the time. */
static void wait_for(struct tcp_dial *d, event_callback_fn fn)
{
	size_t left = d->to->address.count - d->at;
	int64_t ns = (d->deadline_ns - clock_monotonic_ns()) / (int64_t)left;
	struct timeval tv = { 0 };

	if (ns > 0) {
		tv.tv_sec = ns / CLOCK_NS_PER_S;
		tv.tv_usec = ns % CLOCK_NS_PER_S / 1000;
	}
	event_assign(d->event, d->to->base, d->fd, EV_WRITE, fn, d);
	event_add(d->event, &tv);
}

static void on_event(evutil_socket_t fd, short what, void *arg);

static void go_on(struct tcp_dial *d)
{
	while (d->at < d->to->address.count) {
		if (begin_connect(d) == 0) {
			wait_for(d, on_event);
			return;
		}
		failed(d, errno);
	}
	finish(d, -1);
}

static void on_event(evutil_socket_t fd, short what, void *arg)
{
	struct tcp_dial *d = arg;
	int sys = ETIMEDOUT;
	socklen_t len = sizeof(sys);

	if (what & EV_WRITE)
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &sys, &len);
	if (sys == 0) {
		finish(d, fd);
		return;
	}
	failed(d, sys);
	go_on(d);
}

static void on_begin(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	go_on(arg);
}

static struct dial *begin(struct dialer *dialer, uint16_t port,
			  int64_t timeout_ns, dial_done_fn *done, void *self)
{
	const struct timeval at_once = { 0, 0 };
	struct tcp_dial *d = xcalloc(1, sizeof(*d));

	d->dial.dialer = dialer;
	d->to = (struct tcp_dialer *)dialer;
	d->port = port;
	d->deadline_ns = clock_after(clock_monotonic_ns(), timeout_ns);
	d->fd = -1;
	d->done = done;
	d->self = self;
	fail(&d->err, ERROR_NO_TARGET, "%s: it has no address",
	     d->to->address.host);
	d->event = evtimer_new(d->to->base, on_begin, d);
	evtimer_add(d->event, &at_once);
	return &d->dial;
}

static void cancel(struct dial *dial)
{
	struct tcp_dial *d = (struct tcp_dial *)dial;

	if (d->fd >= 0)
		close(d->fd);
	free_dial(d);
}

static void free_dialer(struct dialer *dialer)
{
	struct tcp_dialer *d = (struct tcp_dialer *)dialer;

	if (d->question)
		evdns_getaddrinfo_cancel(d->question);
	if (d->dns)
		evdns_base_free(d->dns, 0);
	free(d);
}

static const struct dialer_ops ops = {
	.begin = begin,
	.cancel = cancel,
	.free = free_dialer,
};

struct dialer *tcp_dialer_new(struct event_base *base,
			      const struct rmi_address *address)
{
	struct tcp_dialer *d = xcalloc(1, sizeof(*d));

	d->dialer.ops = &ops;
	d->base = base;
	d->address = *address;
	return &d->dialer;
}

void dialer_free(struct dialer *d)
{
	if (d)
		d->ops->free(d);
}
