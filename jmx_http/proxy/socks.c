/* SPDX-License-Identifier: Apache-2.0 */
/* SOCKS clients: greeting, request, lookup, and relay. */
#include "jmx_http/proxy/socks.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/socket.h"
#include "jmx_http/proxy/endpoint_discovery.h"
#include "jmx_http/proxy/relay.h"
#include "jmx_http/proxy/socks_request.h"

#include <errno.h>
#include <event2/buffer.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOKUP_NS (5 * CLOCK_NS_PER_S) /* between two lookups of a JVM */
#define FINISH_NS (5 * CLOCK_NS_PER_S) /* limit for sending a refusal */

struct target {
	struct socks *socks;
	struct upstream jvm;
	struct endpoint_discovery advertised;
	int64_t lookup_ns;
	struct host_port reported; /* the endpoint printed last */
};

struct socks {
	struct door_front front;
	struct target **targets;
	size_t target_count, target_cap;
	struct client *clients;
};

enum client_state {
	CLIENT_GREETING,
	CLIENT_REQUEST,
	CLIENT_WAITING, /* for a lookup */
	CLIENT_DIALLING,
	CLIENT_RELAYED,
	CLIENT_ENDING, /* sending a refusal */
	CLIENT_DEAD,   /* to be freed by the event loop */
};

struct client {
	struct door_client base;
	struct client *next, **at;
	struct socks *socks;
	enum client_state state;
	struct bufferevent *buffer; /* owned by the relay if there is one */
	struct event *timer;
	struct socks_request wanted;
	struct dial *dial;
	struct relay *relay;
};

static struct door *socks_door(const struct client *c)
{
	return c->base.front->door;
}

static void client_set_timer(struct client *c, int64_t ns)
{
	struct timeval tv = socket_timeval(ns);

	evtimer_add(c->timer, &tv);
}

static void client_free(struct client *c)
{
	*c->at = c->next;
	if (c->next)
		c->next->at = c->at;
	if (c->dial)
		c->dial->dialer->ops->cancel(c->dial);
	if (c->relay)
		relay_free(c->relay);
	else
		bufferevent_free(c->buffer);
	event_free(c->timer);
	door_leave(&c->base);
	free(c);
}

static void client_die(struct client *c)
{
	c->state = CLIENT_DEAD;
	client_set_timer(c, 0);
}

static void client_write(struct client *c, struct text *bytes)
{
	bufferevent_write(c->buffer, bytes->bytes, bytes->len);
	text_release(bytes);
}

/* Ends the client after the bytes were sent. */
static void client_end_after(struct client *c, struct text *bytes)
{
	c->state = CLIENT_ENDING;
	bufferevent_disable(c->buffer, EV_READ);
	client_set_timer(c, FINISH_NS);
	client_write(c, bytes);
}

static void client_reply(struct client *c, enum socks_reply reply)
{
	struct text bytes = { 0 };

	socks_add_reply(&bytes, reply);
	if (reply == SOCKS_GRANTED)
		client_write(c, &bytes);
	else
		client_end_after(c, &bytes);
}

static void client_report(const struct client *c, const char *message)
{
	struct text host = { 0 };

	socket_add_host(&host, &c->base.peer);
	door_report_limited(socks_door(c), NULL, "SOCKS: client %s: %s",
			    host.bytes, message);
	text_release(&host);
}

static void client_on_relay_ended(void *self) { client_die(self); }

static void client_on_dialled(void *self, evutil_socket_t fd,
			      const struct error *err)
{
	struct client *c = self;

	c->dial = NULL;
	if (c->state == CLIENT_DEAD) {
		if (fd >= 0)
			close(fd);
		return;
	}
	evtimer_del(c->timer);
	if (fd < 0) {
		client_report(c, err->text);
		client_reply(c, err->kind == ERROR_NO_TARGET
					? SOCKS_REFUSED
					: SOCKS_UNREACHABLE);
		return;
	}
	client_reply(c, SOCKS_GRANTED);
	c->state = CLIENT_RELAYED;
	c->relay = relay_new(socks_door(c)->base, c->buffer, fd,
			     client_on_relay_ended, c);
}

/* The first JVM with the requested address, or NULL. */
static struct target *client_find_target(const struct client *c)
{
	const struct socks *s = c->socks;

	for (size_t i = 0; i < s->target_count; i++)
		if (endpoint_discovery_has(&s->targets[i]->advertised,
					   c->wanted.host, c->wanted.port))
			return s->targets[i];
	return NULL;
}

/* Repeats old lookups; false if no lookup is running. */
static bool socks_start_lookups(struct socks *s)
{
	int64_t now = clock_monotonic_ns();
	bool is_running = false;

	for (size_t i = 0; i < s->target_count; i++) {
		struct target *t = s->targets[i];

		if (now >= t->lookup_ns + LOOKUP_NS) {
			t->lookup_ns = now;
			endpoint_discovery_start(&t->advertised);
		}
		is_running |= endpoint_discovery_is_running(&t->advertised);
	}
	return is_running;
}

static void client_refuse(struct client *c)
{
	struct text message = { 0 };

	text_printf(&message,
		    "connection to %s, port %d, rejected: no JVM of this "
		    "proxy sends clients there",
		    c->wanted.host, c->wanted.port);
	client_report(c, message.bytes);
	text_release(&message);
	client_reply(c, SOCKS_NOT_ALLOWED);
}

/*
 * Connects to the requested address.  If the address is unknown, the client
 * waits for a lookup: the first lookup may be running, or a JVM may have moved.
 */
static void client_connect(struct client *c, bool may_look_up)
{
	struct target *t = client_find_target(c);
	const struct door_options *o = &socks_door(c)->options;
	struct dialer *d;

	if (!t && may_look_up && socks_start_lookups(c->socks)) {
		c->state = CLIENT_WAITING;
		return;
	}
	if (!t) {
		client_refuse(c);
		return;
	}
	d = t->jvm.dialer;
	c->state = CLIENT_DIALLING;
	c->dial = d->ops->begin(d, c->wanted.port, o->connect_ns,
				client_on_dialled, c);
}

/* Prints the endpoint to which the JVM sends clients, if it has changed. */
static void target_report(struct target *t)
{
	const struct host_port *to = &t->advertised.sent_to;

	if (to->port == t->reported.port &&
	    strcmp(to->host, t->reported.host) == 0)
		return;
	t->reported = *to;
	door_report(t->socks->front.door,
		    "SOCKS: %s sends clients to %s, port %d", t->jvm.title,
		    to->host, to->port);
}

static void target_on_looked_up(void *self, const struct error *err)
{
	struct target *t = self;
	struct socks *s = t->socks;
	bool is_running = false;

	if (err)
		door_report(s->front.door, "SOCKS: %s", err->text);
	else
		target_report(t);
	for (size_t i = 0; i < s->target_count; i++)
		is_running |= endpoint_discovery_is_running(
			&s->targets[i]->advertised);
	for (struct client *c = s->clients; c; c = c->next)
		if (c->state == CLIENT_WAITING)
			client_connect(c, is_running);
}

static bool client_read_greeting(struct client *c, struct evbuffer *in)
{
	size_t len = evbuffer_get_length(in), used = 0;
	enum socks_status status = socks_read_greeting(evbuffer_pullup(in, -1),
						       len, &used);
	struct text reply = { 0 };

	if (status == SOCKS_MORE)
		return false;
	if (status == SOCKS_WRONG) {
		client_report(c, "the client does not speak SOCKS 5");
		client_die(c);
		return false;
	}
	evbuffer_drain(in, used);
	socks_add_method(&reply, status);
	if (status == SOCKS_DONE) {
		client_write(c, &reply);
		c->state = CLIENT_REQUEST;
		return true;
	}
	client_report(c, "the client requires authentication, which is not "
			 "supported");
	client_end_after(c, &reply);
	return false;
}

static bool client_read_request(struct client *c, struct evbuffer *in)
{
	size_t len = evbuffer_get_length(in), used = 0;
	enum socks_status status = socks_read_request(evbuffer_pullup(in, -1),
						      len, &c->wanted, &used);

	if (status == SOCKS_MORE)
		return false;
	evbuffer_drain(in, used);
	if (status == SOCKS_DONE) {
		/* Bytes of the client wait until the reply is sent. */
		bufferevent_disable(c->buffer, EV_READ);
		client_set_timer(c,
				 4 * c->socks->front.door->options.connect_ns);
		client_connect(c, true);
		return false;
	}
	client_report(c, "the client sent an unsupported request");
	client_reply(c, socks_reply_of(status));
	return false;
}

static void client_on_read(struct bufferevent *buffer, void *arg)
{
	struct client *c = arg;
	struct evbuffer *in = bufferevent_get_input(buffer);
	bool more = true;

	while (more && evbuffer_get_length(in)) {
		if (c->state == CLIENT_GREETING)
			more = client_read_greeting(c, in);
		else if (c->state == CLIENT_REQUEST)
			more = client_read_request(c, in);
		else
			more = false;
	}
}

static void client_on_write(struct bufferevent *buffer, void *arg)
{
	struct client *c = arg;

	(void)buffer;
	if (c->state == CLIENT_ENDING)
		client_die(c);
}

static void client_on_event(struct bufferevent *buffer, short what, void *arg)
{
	(void)buffer;
	(void)what;
	client_die(arg);
}

static void client_on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct client *c = arg;

	(void)fd;
	(void)what;
	switch (c->state) {
	case CLIENT_GREETING:
	case CLIENT_REQUEST:
		client_report(
			c, "the client did not complete its request in time");
		client_free(c);
		break;
	case CLIENT_WAITING:
		client_refuse(c);
		break;
	default:
		client_free(c);
		break;
	}
}

static void socks_begin(struct door_front *f, evutil_socket_t fd,
			const struct sockaddr_storage *peer)
{
	struct client *c = xcalloc(1, sizeof(*c));
	struct socks *s = (struct socks *)f;
	struct event_base *base = f->door->base;

	door_enter(f, &c->base, peer);
	c->socks = s;
	c->buffer = bufferevent_socket_new(base, fd, BEV_OPT_CLOSE_ON_FREE);
	c->timer = evtimer_new(base, client_on_timer, c);
	if (!c->buffer || !c->timer)
		alloc_give_up(sizeof(*c));
	bufferevent_setcb(c->buffer, client_on_read, client_on_write,
			  client_on_event, c);
	bufferevent_setwatermark(c->buffer, EV_READ, 0, RELAY_WAITING_MAX);
	bufferevent_enable(c->buffer, EV_READ | EV_WRITE);
	client_set_timer(c, f->door->options.hello_ns);
	c->next = s->clients;
	c->at = &s->clients;
	if (c->next)
		c->next->at = &c->next;
	s->clients = c;
}

/* Ends a client without a relay, or whose relay is idle. */
static void socks_drain(struct door_client *base)
{
	struct client *c = (struct client *)base;

	if (c->state != CLIENT_DEAD &&
	    (!c->relay || relay_is_still(c->relay, DOOR_STILL_NS)))
		client_die(c);
}

static void socks_free_client(struct door_client *c)
{
	client_free((struct client *)c);
}

static void socks_free(struct door_front *f)
{
	struct socks *s = (struct socks *)f;

	for (size_t i = 0; i < s->target_count; i++) {
		endpoint_discovery_release(&s->targets[i]->advertised);
		upstream_release(&s->targets[i]->jvm);
		free(s->targets[i]);
	}
	free(s->targets);
	free(s);
}

static const struct door_front_ops socks_ops = {
	.begin = socks_begin,
	.drain = socks_drain,
	.free_client = socks_free_client,
	.free = socks_free,
};

struct socks *socks_new(struct door *d, const struct sockaddr_storage *bind,
			uint16_t *port, struct error *err)
{
	struct socks *s = xcalloc(1, sizeof(*s));
	int got;

	s->front = (struct door_front){ .ops = &socks_ops, .title = "SOCKS" };
	got = door_listen(d, &s->front, bind, err);
	if (got < 0) {
		free(s);
		return NULL;
	}
	*port = (uint16_t)got;
	return s;
}

void socks_add(struct socks *s, const struct upstream_options *jvm)
{
	struct target *t = xcalloc(1, sizeof(*t));
	const struct door_options *o = &s->front.door->options;

	t->socks = s;
	upstream_init(&t->jvm, jvm);
	endpoint_discovery_init(&t->advertised, s->front.door->base, &t->jvm,
				jvm->host, o->to_jvm, o->connect_ns,
				target_on_looked_up, t);
	array_reserve(s->targets, s->target_cap, s->target_count + 1);
	s->targets[s->target_count++] = t;
	t->lookup_ns = clock_monotonic_ns();
	endpoint_discovery_start(&t->advertised);
}
