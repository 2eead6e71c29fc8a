/* SPDX-License-Identifier: Apache-2.0 */
/* Requests forwards of a pod's ports, and connects to their local ports. */
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/command_line.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/net/kubectl.h"
#include "jmx_http/net/socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>

/* Pause before a refused connection is tried again: kubectl may be ending. */
#define AGAIN_NS (100 * CLOCK_NS_PER_MS)

struct kubectl_dialer {
	struct dialer dialer;
	struct kubectl *kubectl;
	struct dialer *loopback;
	uint16_t port; /* stands for the target's port, even in a new pod */
	/* While the first forward starts. */
	bool is_starting;
	struct error err;
};

struct kubectl_dial {
	struct dial dial;
	struct kubectl_dialer *of;
	/* At most one of these is active. */
	struct kubectl_wait *wait;
	struct dial *connecting;
};

static void kubectl_dial_on_connected(void *self, evutil_socket_t fd,
				      const struct error *err)
{
	struct kubectl_dial *d = self;

	d->connecting = NULL;
	if (fd < 0 && err->kind == ERROR_NO_TARGET &&
	    dial_left_ns(&d->dial) > AGAIN_NS) {
		dial_wait(&d->dial, AGAIN_NS);
		return;
	}
	dial_finish(&d->dial, fd, err);
}

static void kubectl_dial_on_ready(void *self, uint16_t local,
				  const struct error *err)
{
	struct kubectl_dial *d = self;
	struct dialer *to = d->of->loopback;

	d->wait = NULL;
	if (!local) {
		dial_finish(&d->dial, -1, err);
		return;
	}
	d->connecting = to->ops->begin(to, local, dial_left_ns(&d->dial),
				       kubectl_dial_on_connected, d);
}

static void kubectl_dial_on_timer(evutil_socket_t fd, short what, void *self)
{
	struct kubectl_dial *d = self;

	(void)fd;
	(void)what;
	d->wait = kubectl_request(
		d->of->kubectl, d->dial.port == d->of->port ? 0 : d->dial.port,
		dial_left_ns(&d->dial), kubectl_dial_on_ready, d);
}

static struct dial *kubectl_begin(struct dialer *dialer, uint16_t port,
				  int64_t timeout_ns, dial_done_fn *done,
				  void *self)
{
	struct kubectl_dial *d = xcalloc(1, sizeof(*d));

	dial_begin(&d->dial, dialer, port, timeout_ns, done, self,
		   kubectl_dial_on_timer);
	d->of = (struct kubectl_dialer *)dialer;
	dial_wait(&d->dial, 0);
	return &d->dial;
}

static void kubectl_cancel_dial(struct dial *dial)
{
	struct kubectl_dial *d = (struct kubectl_dial *)dial;

	if (d->wait)
		kubectl_cancel(d->wait);
	if (d->connecting)
		d->connecting->dialer->ops->cancel(d->connecting);
	event_free(dial->timer);
	free(d);
}

static void kubectl_free_dialer(struct dialer *dialer)
{
	struct kubectl_dialer *d = (struct kubectl_dialer *)dialer;

	kubectl_free(d->kubectl);
	dialer_free(d->loopback);
	free(d);
}

static void kubectl_add_why(struct dialer *dialer, struct text *out)
{
	kubectl_why(((struct kubectl_dialer *)dialer)->kubectl, out);
}

static bool kubectl_dial_again(struct dialer *dialer)
{
	kubectl_doubt(((struct kubectl_dialer *)dialer)->kubectl);
	return true;
}

static unsigned kubectl_generation(const struct dialer *dialer)
{
	return kubectl_replacements(
		((const struct kubectl_dialer *)dialer)->kubectl);
}

static const struct dialer_ops kubectl_ops = {
	.begin = kubectl_begin,
	.cancel = kubectl_cancel_dial,
	.free = kubectl_free_dialer,
	.why = kubectl_add_why,
	.again = kubectl_dial_again,
	.generation = kubectl_generation,
	.goes_anywhere = true,
};

static void kubectl_on_first(void *self, uint16_t local,
			     const struct error *err)
{
	struct kubectl_dialer *d = self;

	d->is_starting = false;
	if (!local)
		d->err = *err;
}

struct dialer *kubectl_dialer_new(struct event_base *base,
				  const struct kubectl_options *options,
				  uint16_t *port, struct error *err)
{
	struct kubectl_dialer *d;
	struct net_address here = { .host = "127.0.0.1", .count = 1 };
	struct sockaddr_in *four = (struct sockaddr_in *)&here.list[0];

	if (command_line_find("kubectl", err))
		return NULL;
	d = xcalloc(1, sizeof(*d));
	four->sin_family = AF_INET;
	four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	d->dialer = (struct dialer){ .ops = &kubectl_ops, .base = base };
	d->kubectl = kubectl_new(base, options);
	d->loopback = tcp_dialer_new(base, &here);
	d->is_starting = true;
	kubectl_request(d->kubectl, 0, 3 * KUBECTL_START_S * CLOCK_NS_PER_S,
			kubectl_on_first, d);
	while (d->is_starting)
		event_base_loop(base, EVLOOP_ONCE);
	*port = d->port = kubectl_port(d->kubectl);
	if (d->err.kind == ERROR_NONE)
		return &d->dialer;
	*err = d->err;
	kubectl_free_dialer(&d->dialer);
	return NULL;
}
