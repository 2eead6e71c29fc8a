/* SPDX-License-Identifier: Apache-2.0 */
/* Forwards bytes with back-pressure and half-closed connections. */
#include "jmx_http/proxy/relay.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/socket.h"

#include <event2/buffer.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

struct side {
	struct relay *relay;
	struct side *other;
	struct bufferevent *buffer;
	bool has_ended; /* the side has stopped sending */
	bool is_shut;   /* the side is shut down for writing */
};

struct relay {
	struct side client, server;
	bool is_over;
	int64_t moved_ns; /* time of the last forwarded bytes */
	void (*ended)(void *self);
	void *self;
};

/* Calls ended once, and stops all other callbacks. */
static void relay_finish(struct relay *r)
{
	if (r->is_over)
		return;
	r->is_over = true;
	bufferevent_disable(r->client.buffer, EV_READ | EV_WRITE);
	bufferevent_disable(r->server.buffer, EV_READ | EV_WRITE);
	r->ended(r->self);
}

/* Shuts down a side: its peer has ended, and all output was sent. */
static void side_shut(struct side *to)
{
	shutdown(bufferevent_getfd(to->buffer), SHUT_WR);
	to->is_shut = true;
	if (to->other->is_shut)
		relay_finish(to->relay);
}

static size_t side_waiting_len(const struct side *to)
{
	return evbuffer_get_length(bufferevent_get_output(to->buffer));
}

/* Forwards the bytes of a side, and pauses the side if its peer is slow. */
static void side_pass(struct side *from)
{
	struct side *to = from->other;

	if (from->relay->is_over || to->is_shut)
		return;
	from->relay->moved_ns = clock_monotonic_ns();
	bufferevent_write_buffer(to->buffer,
				 bufferevent_get_input(from->buffer));
	if (side_waiting_len(to) > RELAY_WAITING_MAX)
		bufferevent_disable(from->buffer, EV_READ);
	else if (from->has_ended && !side_waiting_len(to))
		side_shut(to);
}

static void side_on_read(struct bufferevent *buffer, void *arg)
{
	(void)buffer;
	side_pass(arg);
}

/* All waiting bytes have been sent. */
static void side_on_write(struct bufferevent *buffer, void *arg)
{
	struct side *to = arg, *from = to->other;

	(void)buffer;
	if (!from->has_ended && !from->relay->is_over)
		bufferevent_enable(from->buffer, EV_READ);
	side_pass(from);
}

static void side_on_event(struct bufferevent *buffer, short what, void *arg)
{
	struct side *from = arg;

	(void)buffer;
	if (!(what & BEV_EVENT_EOF)) {
		relay_finish(from->relay);
		return;
	}
	from->has_ended = true;
	side_pass(from);
}

static void side_join(struct relay *r, struct side *side, struct side *other,
		      struct bufferevent *buffer)
{
	*side = (struct side){ .relay = r, .other = other, .buffer = buffer };
	bufferevent_setcb(buffer, side_on_read, side_on_write, side_on_event,
			  side);
	bufferevent_setwatermark(buffer, EV_READ, 0, RELAY_WAITING_MAX);
	bufferevent_setwatermark(buffer, EV_WRITE, 0, 0);
	bufferevent_set_timeouts(buffer, NULL, NULL);
}

struct relay *relay_new(struct event_base *base, struct bufferevent *client,
			evutil_socket_t server, void (*ended)(void *self),
			void *self)
{
	struct bufferevent *buffer = bufferevent_socket_new(
		base, server, BEV_OPT_CLOSE_ON_FREE);
	struct relay *r = xcalloc(1, sizeof(*r));

	if (!buffer)
		alloc_give_up(sizeof(*r));
	socket_set(server);
	r->ended = ended;
	r->self = self;
	side_join(r, &r->client, &r->server, client);
	side_join(r, &r->server, &r->client, buffer);
	side_pass(&r->client);
	bufferevent_enable(client, EV_READ | EV_WRITE);
	bufferevent_enable(buffer, EV_READ | EV_WRITE);
	return r;
}

bool relay_is_still(const struct relay *r, int64_t still_ns)
{
	return !side_waiting_len(&r->client) && !side_waiting_len(&r->server) &&
	       clock_monotonic_ns() - r->moved_ns > still_ns;
}

void relay_free(struct relay *r)
{
	if (!r)
		return;
	bufferevent_free(r->client.buffer);
	bufferevent_free(r->server.buffer);
	free(r);
}
