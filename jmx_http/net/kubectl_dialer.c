/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/net/kubectl_dialer.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/command_line.h"
#include "jmx_http/net/socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>

/* A kubectl that has ended is known of a moment later. */
#define AGAIN_NS (100 * CLOCK_NS_PER_MS)

struct kubectl_dialer {
	struct dialer dialer;
	struct event_base *base;
	struct kubectl *kubectl;
	struct dialer *loopback;
};

struct kubectl_dial {
	struct dial dial;
	struct kubectl_dialer *of;
	uint16_t port;
	int64_t deadline_ns;
	/* One of them at a time. */
	struct kubectl_wait *wait;
	struct dial *connecting;
	struct event *timer;
	struct error err;
	dial_done_fn *done;
	void *self;
};

static void end(struct kubectl_dial *d)
{
	if (d->wait)
		kubectl_cancel(d->wait);
	if (d->connecting)
		d->connecting->dialer->ops->cancel(d->connecting);
	event_free(d->timer);
	free(d);
}

static void finish(struct kubectl_dial *d, evutil_socket_t fd,
		   const struct error *err)
{
	dial_done_fn *done = d->done;
	struct error copy = { 0 };
	void *self = d->self;

	if (err)
		copy = *err;
	end(d);
	done(self, fd, &copy);
}

static int64_t left_ns(const struct kubectl_dial *d)
{
	int64_t left = d->deadline_ns - clock_monotonic_ns();

	return left > 0 ? left : 0;
}

static void on_connected(void *self, evutil_socket_t fd,
			 const struct error *err)
{
	struct kubectl_dial *d = self;
	struct timeval after = socket_timeval(AGAIN_NS);

	d->connecting = NULL;
	if (fd < 0 && err->kind == ERROR_NO_TARGET && left_ns(d) > AGAIN_NS) {
		evtimer_add(d->timer, &after);
		return;
	}
	finish(d, fd, err);
}

static void on_ready(void *self, uint16_t local, const struct error *err)
{
	struct kubectl_dial *d = self;
	struct dialer *to = d->of->loopback;

	d->wait = NULL;
	if (!local) {
		finish(d, -1, err);
		return;
	}
	d->connecting = to->ops->begin(to, local, left_ns(d), on_connected, d);
}

static void on_timer(evutil_socket_t fd, short what, void *self)
{
	struct kubectl_dial *d = self;

	(void)fd;
	(void)what;
	d->wait = kubectl_ask(d->of->kubectl, d->port, left_ns(d), on_ready, d,
			      &d->err);
	if (!d->wait)
		finish(d, -1, &d->err);
}

static struct dial *begin(struct dialer *dialer, uint16_t port,
			  int64_t timeout_ns, dial_done_fn *done, void *self)
{
	const struct timeval at_once = { 0, 0 };
	struct kubectl_dial *d = xcalloc(1, sizeof(*d));

	d->dial.dialer = dialer;
	d->of = (struct kubectl_dialer *)dialer;
	d->port = port;
	d->deadline_ns = clock_after(clock_monotonic_ns(), timeout_ns);
	d->done = done;
	d->self = self;
	d->timer = evtimer_new(d->of->base, on_timer, d);
	evtimer_add(d->timer, &at_once);
	return &d->dial;
}

static void cancel(struct dial *dial) { end((struct kubectl_dial *)dial); }

static void free_dialer(struct dialer *dialer)
{
	struct kubectl_dialer *d = (struct kubectl_dialer *)dialer;

	kubectl_free(d->kubectl);
	dialer_free(d->loopback);
	free(d);
}

static void why(struct dialer *dialer, struct text *out)
{
	kubectl_why(((struct kubectl_dialer *)dialer)->kubectl, out);
}

static const struct dialer_ops ops = {
	.begin = begin,
	.cancel = cancel,
	.free = free_dialer,
	.why = why,
	.goes_anywhere = true,
};

/* Who asks first is told what came of it; all others hear it said. */
static void ignore(void *self, uint16_t local, const struct error *err)
{
	(void)self;
	(void)local;
	(void)err;
}

struct dialer *kubectl_dialer_new(struct event_base *base,
				  const struct kubectl_options *options,
				  uint16_t port, struct error *err)
{
	struct kubectl_dialer *d;
	struct rmi_address here = { .host = "127.0.0.1", .count = 1 };
	struct sockaddr_in *four = (struct sockaddr_in *)&here.list[0];

	if (command_line_find("kubectl", err))
		return NULL;
	d = xcalloc(1, sizeof(*d));
	four->sin_family = AF_INET;
	four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	d->dialer.ops = &ops;
	d->base = base;
	d->kubectl = kubectl_new(base, options);
	d->loopback = tcp_dialer_new(base, &here);
	if (kubectl_ask(d->kubectl, port, KUBECTL_START_S * CLOCK_NS_PER_S,
			ignore, NULL, err))
		return &d->dialer;
	free_dialer(&d->dialer);
	return NULL;
}
