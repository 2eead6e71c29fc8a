/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/http_agent.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/socket.h"

/* Less than the time for which servers keep a connection, 20 s or more. */
#define IDLE_NS (10 * CLOCK_NS_PER_S)

void http_agent_init(struct http_agent *a)
{
	a->to.waiting_max = HTTP_WAITING_MAX;
	TAILQ_INIT(&a->idle);
	TAILQ_INIT(&a->dialling);
}

void http_agent_release(struct http_agent *a)
{
	while (!TAILQ_EMPTY(&a->idle))
		backend_free(TAILQ_FIRST(&a->idle));
}

static void agent_enlist(struct backend *b, struct backend_list *list)
{
	b->list = list;
	TAILQ_INSERT_TAIL(list, b, link);
}

struct backend *http_agent_connect(struct http_agent *a, bool may_reuse,
				   const struct backend_events *events,
				   void *self)
{
	struct backend_context to = a->to;
	struct backend *b = may_reuse ? TAILQ_LAST(&a->idle, backend_list)
				      : NULL;

	if (b) {
		backend_leave_list(b);
		a->idle_count--;
		evtimer_del(b->limit);
		b->is_reused = true;
		b->context.events = events;
		b->context.self = self;
		return b;
	}
	to.events = events;
	to.self = self;
	b = backend_new(&to, NULL,
			(struct endpoint){ a->port, to.tls ? ENDPOINT_TLS
							   : ENDPOINT_PLAIN });
	b->agent = a;
	b->in = evbuffer_new();
	if (!b->in)
		alloc_give_up(sizeof(*b));
	/* An idle connection may serve the request instead. */
	if (may_reuse && to.dialer->ops->is_full)
		agent_enlist(b, &a->dialling);
	return b;
}

size_t http_agent_waiting(const struct backend *b)
{
	return evbuffer_get_length(bufferevent_get_output(b->buffer));
}

bool http_agent_fill(struct backend *b)
{
	return socket_fill(b->buffer, b->in, HTTP_WAITING_MAX);
}

static void idle_end(struct backend *b)
{
	b->agent->idle_count--;
	backend_free(b);
}

/* The agent must not send anything without a request. */
static void idle_on_arrived(void *self, struct backend *b)
{
	(void)self;
	idle_end(b);
}

/* The agent has closed the connection, or the connection was idle too long. */
static void idle_on_ended(void *self, struct backend *b,
			  const struct error *err, bool is_cut)
{
	(void)self;
	(void)err;
	(void)is_cut;
	idle_end(b);
}

static const struct backend_events idle_events = {
	.arrived = idle_on_arrived,
	.ended = idle_on_ended,
};

void http_agent_put_back(struct backend *b)
{
	struct http_agent *a = b->agent;
	struct timeval limit = socket_timeval(IDLE_NS);
	struct backend *waiting = TAILQ_FIRST(&a->dialling);

	if (evbuffer_get_length(b->in) || http_agent_waiting(b) ||
	    (!waiting && a->idle_count >= HTTP_IDLE_MAX)) {
		backend_free(b);
	} else if (waiting) {
		waiting->is_reused = true;
		backend_take_over(waiting, b);
	} else {
		agent_enlist(b, &a->idle);
		a->idle_count++;
		b->context.events = &idle_events;
		evtimer_add(b->limit, &limit);
	}
}
