/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/net/local_dialer.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/socket.h"
#include "jmx_http/rmi/rmi_local.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>

struct local_dialer {
	struct dialer dialer;
	struct event_base *base;
	struct jvm jvm;
	struct dialer *loopback; /* NULL: that of another network */
};

struct local_dial {
	struct dial dial;
	struct local_dialer *of;
	uint16_t port;
	int64_t deadline_ns;
	struct event *event;
	/* One of both, once it has begun. */
	struct attach_peer child;
	bool is_over; /* it has handed over what it has */
	struct dial *connecting;
	dial_done_fn *done;
	void *self;
};

static void end(struct local_dial *d)
{
	if (d->connecting)
		d->connecting->dialer->ops->cancel(d->connecting);
	event_free(d->event);
	/* One that is still at it is not waited for. */
	if (d->child.pid && !d->is_over)
		kill(d->child.pid, SIGKILL);
	attach_peer_end(&d->child);
	free(d);
}

static void finish(struct local_dial *d, evutil_socket_t fd,
		   const struct error *err)
{
	dial_done_fn *done = d->done;
	struct error copy = { 0 };
	void *self = d->self;

	if (fd < 0)
		copy = *err;
	end(d);
	done(self, fd, &copy);
}

static void on_connected(void *self, evutil_socket_t fd,
			 const struct error *err)
{
	struct local_dial *d = self;

	d->connecting = NULL;
	finish(d, fd, err);
}

/* The child has something to hand over, or the time is over. */
static void on_child(evutil_socket_t channel, short what, void *self)
{
	struct local_dial *d = self;
	struct error err = { 0 };
	int fd = rmi_local_finish(&d->child, &d->of->jvm, &err);

	(void)channel;
	d->is_over = what & EV_READ;
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	finish(d, fd, &err);
}

static void connect_elsewhere(struct local_dial *d, int64_t left_ns)
{
	struct timeval limit = socket_timeval(left_ns);
	struct error err;

	if (rmi_local_begin(&d->child, &d->of->jvm, d->port, d->deadline_ns,
			    &err)) {
		finish(d, -1, &err);
		return;
	}
	event_assign(d->event, d->of->base, d->child.channel, EV_READ, on_child,
		     d);
	event_add(d->event, &limit);
}

static void on_begin(evutil_socket_t fd, short what, void *self)
{
	struct local_dial *d = self;
	struct dialer *to = d->of->loopback;
	int64_t left_ns = d->deadline_ns - clock_monotonic_ns();
	struct error err;

	(void)fd;
	(void)what;
	if (!to) {
		connect_elsewhere(d, left_ns);
	} else if (!jvm_runs(&d->of->jvm)) {
		/* Another process may have its port now. */
		fail(&err, ERROR_NO_TARGET, "%d: the JVM has ended",
		     (int)d->of->jvm.pid);
		finish(d, -1, &err);
	} else {
		d->connecting = to->ops->begin(to, d->port, left_ns,
					       on_connected, d);
	}
}

static struct dial *begin(struct dialer *dialer, uint16_t port,
			  int64_t timeout_ns, dial_done_fn *done, void *self)
{
	const struct timeval at_once = { 0, 0 };
	struct local_dial *d = xcalloc(1, sizeof(*d));

	d->dial.dialer = dialer;
	d->of = (struct local_dialer *)dialer;
	d->port = port;
	d->deadline_ns = clock_after(clock_monotonic_ns(), timeout_ns);
	d->done = done;
	d->self = self;
	d->event = evtimer_new(d->of->base, on_begin, d);
	evtimer_add(d->event, &at_once);
	return &d->dial;
}

static void cancel(struct dial *dial) { end((struct local_dial *)dial); }

static void free_dialer(struct dialer *dialer)
{
	struct local_dialer *d = (struct local_dialer *)dialer;

	dialer_free(d->loopback);
	jvm_close(&d->jvm);
	free(d);
}

static const struct dialer_ops ops = {
	.begin = begin,
	.cancel = cancel,
	.free = free_dialer,
	.goes_anywhere = true,
};

/* A JVM without IPv4 has it on ::1. */
static struct dialer *loopback(struct event_base *base)
{
	struct rmi_address here = { .host = "127.0.0.1", .count = 2 };
	struct sockaddr_in *four = (struct sockaddr_in *)&here.list[0];
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&here.list[1];

	four->sin_family = AF_INET;
	four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	six->sin6_family = AF_INET6;
	six->sin6_addr = in6addr_loopback;
	return tcp_dialer_new(base, &here);
}

struct dialer *local_dialer_new(struct event_base *base, struct jvm *jvm,
				struct error *err)
{
	int elsewhere = rmi_local_is_elsewhere(jvm, err);
	struct local_dialer *d;

	if (elsewhere < 0)
		return NULL;
	d = xcalloc(1, sizeof(*d));
	d->dialer.ops = &ops;
	d->base = base;
	d->jvm = *jvm;
	*jvm = (struct jvm){ .pidfd = -1 };
	if (!elsewhere)
		d->loopback = loopback(base);
	return &d->dialer;
}

const struct jvm *local_dialer_jvm(const struct dialer *d)
{
	return &((const struct local_dialer *)d)->jvm;
}
