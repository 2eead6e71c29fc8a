/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SOCKS clients: greeting, request, lookup, and relay; and the addresses to
 * which the registries of JVMs send clients.
 */
#include "jmx_http/proxy/socks.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/socket.h"
#include "jmx_http/proxy/backend.h"
#include "jmx_http/proxy/relay.h"
#include "jmx_http/proxy/socks_request.h"
#include "jmx_http/rmi/login.h"

#include <errno.h>
#include <event2/dns.h>
#include <event2/util.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define LOOKUP_NS  (5 * CLOCK_NS_PER_S) /* between two lookups of a JVM */
#define FINISH_NS  (5 * CLOCK_NS_PER_S) /* limit for sending a refusal */

#define ENTRY      "jmxrmi"
#define PIECE_MAX  4096
#define REPLY_MAX  ((size_t)1 << 20)

#define PLACES_MAX 32

/* An address in the form that clients request: "pod-7f", "10.0.0.7", "::1". */
struct host_port {
	char host[NET_HOST_MAX + 1];
	uint16_t port;
};

/*
 * A lookup resolves the registry's host, looks up "jmxrmi", and resolves the
 * host in the stub.  It keeps all names and addresses, because a client of the
 * registry may request any of them.
 *
 * A lookup runs in the event loop, over the JVM's dialer, so it cannot use
 * rmi_login, which blocks.
 */
enum lookup_stage {
	LOOKUP_IDLE,
	LOOKUP_HOST, /* resolving the registry's host */
	LOOKUP_CALL, /* looking up "jmxrmi" */
	LOOKUP_STUB, /* resolving the stub's host */
	LOOKUP_DONE, /* next: LOOKUP_IDLE */
};

struct target {
	struct socks *socks;
	struct upstream jvm;
	/* The addresses of the last lookup that succeeded. */
	struct host_port places[PLACES_MAX];
	size_t count;
	struct host_port reported; /* the endpoint printed last */

	/* The lookup that is running. */
	int64_t lookup_ns; /* when it began */
	enum lookup_stage stage;
	struct event *next;     /* starts the next stage, from the event loop */
	struct evdns_base *dns; /* NULL: no DNS */
	struct evdns_getaddrinfo_request *request;
	uint16_t resolved_port; /* of the addresses being resolved */
	struct backend *backend;
	struct jrmp_return *reply;
	struct host_port found[PLACES_MAX];
	size_t found_count;
	struct host_port sent_to; /* endpoint of the stub */
	struct error err;
};

struct socks {
	struct door_front front;
	struct target **targets;
	size_t target_count, target_cap;
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
	struct socks *socks;
	enum client_state state;
	struct socks_request wanted;
	struct dial *dial;
	struct relay *relay;
};

/* ---- lookups ---- */

static void target_on_looked_up(struct target *t, const struct error *err);

static bool places_have(const struct host_port *places, size_t count,
			const char *host, uint16_t port)
{
	for (size_t i = 0; i < count; i++)
		if (places[i].port == port &&
		    strcasecmp(places[i].host, host) == 0)
			return true;
	return false;
}

static void lookup_add(struct target *t, const char *host, uint16_t port)
{
	struct host_port *place = &t->found[t->found_count];

	if (!*host || strlen(host) > NET_HOST_MAX ||
	    t->found_count == PLACES_MAX ||
	    places_have(t->found, t->found_count, host, port))
		return;
	memcpy(place->host, host, strlen(host) + 1);
	place->port = port;
	t->found_count++;
}

/* Starts a stage from the event loop, because callers may be in a callback. */
static void lookup_set_stage(struct target *t, enum lookup_stage stage)
{
	const struct timeval at_once = { 0, 0 };

	t->stage = stage;
	evtimer_add(t->next, &at_once);
}

static void lookup_fail(struct target *t, const struct error *err)
{
	t->err = *err;
	lookup_set_stage(t, LOOKUP_DONE);
}

static void lookup_on_resolved(int status, struct evutil_addrinfo *list,
			       void *arg)
{
	struct target *t = arg;

	if (status == EVUTIL_EAI_CANCEL)
		return;
	t->request = NULL;
	for (struct evutil_addrinfo *one = status ? NULL : list; one;
	     one = one->ai_next) {
		struct sockaddr_storage address = { 0 };
		struct text host = { 0 };

		memcpy(&address, one->ai_addr, one->ai_addrlen);
		socket_add_host(&host, &address);
		lookup_add(t, host.bytes, t->resolved_port);
		text_release(&host);
	}
	if (list)
		evutil_freeaddrinfo(list);
	lookup_set_stage(t, t->stage + 1);
}

/* Adds the name and its addresses: clients request one or the other. */
static void lookup_resolve(struct target *t, const char *host, uint16_t port)
{
	struct evutil_addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
	};

	lookup_add(t, host, port);
	t->resolved_port = port;
	if (!t->dns) {
		lookup_set_stage(t, t->stage + 1);
		return;
	}
	/* NULL if the callback has been called already. */
	t->request = evdns_getaddrinfo(t->dns, host, NULL, &hints,
				       lookup_on_resolved, t);
}

static void lookup_end_call(struct target *t)
{
	backend_free(t->backend);
	t->backend = NULL;
	if (t->reply)
		jrmp_return_release(t->reply);
	free(t->reply);
	t->reply = NULL;
}

static void lookup_read_stub(struct target *t)
{
	const struct jrmp_return *r = t->reply;
	struct error err = { 0 };
	struct stub stub;

	if (rmi_lookup_stub(r, &stub, &err)) {
		err.kind = ERROR_REFUSED;
		fail_in(&err, "%s: the RMI registry", t->jvm.title);
		lookup_fail(t, &err);
	} else {
		memcpy(t->sent_to.host, stub.host, sizeof(stub.host));
		t->sent_to.port = stub.port;
		lookup_end_call(t);
		lookup_resolve(t, t->sent_to.host, t->sent_to.port);
	}
}

static void lookup_on_arrived(void *self, struct backend *b)
{
	struct target *t = self;
	struct evbuffer *in = backend_input(b);
	enum java_status status = JAVA_MORE;
	struct error err;

	while (status == JAVA_MORE && evbuffer_get_length(in)) {
		size_t len = evbuffer_get_length(in), used;

		if (t->stage != LOOKUP_CALL)
			return;
		if (len > PIECE_MAX)
			len = PIECE_MAX;
		status = jrmp_return_read(t->reply,
					  evbuffer_pullup(in, (ssize_t)len),
					  len, &used);
		evbuffer_drain(in, used);
	}
	if (status == JAVA_DONE) {
		lookup_set_stage(t, LOOKUP_STUB);
	} else if (status == JAVA_WRONG ||
		   t->reply->stream.offset > REPLY_MAX) {
		fail(&err, ERROR_REFUSED,
		     "%s: the registry sent something that is not an RMI "
		     "return",
		     t->jvm.title);
		lookup_fail(t, &err);
	}
}

static void lookup_on_ended(void *self, struct backend *b,
			    const struct error *err, bool is_cut)
{
	struct target *t = self;
	struct error closed;

	(void)b;
	(void)is_cut;
	if (t->stage != LOOKUP_CALL)
		return;
	if (!err) {
		fail(&closed, ERROR_REFUSED,
		     "%s: the registry closed the connection", t->jvm.title);
		err = &closed;
	}
	lookup_fail(t, err);
}

static const struct backend_events lookup_events = {
	.arrived = lookup_on_arrived,
	.ended = lookup_on_ended,
};

static void lookup_call(struct target *t)
{
	const struct door *d = t->socks->front.door;
	const struct backend_context context = {
		.base = d->base,
		.tls = d->options.to_jvm,
		.connect_ns = d->options.connect_ns,
		.events = &lookup_events,
		.self = t,
	};
	struct timeval limit = socket_timeval(2 * d->options.connect_ns);
	struct text call = { 0 };

	t->reply = xcalloc(1, sizeof(*t->reply));
	t->backend = backend_new_rmi(context, &t->jvm, t->jvm.registry);
	rmi_add_lookup(&call, ENTRY, strlen(ENTRY));
	backend_send(t->backend, &call);
	/* Limits the time of a registry that greets and then stalls. */
	evtimer_add(t->next, &limit);
}

static void lookup_finish(struct target *t)
{
	bool failed = t->err.kind != ERROR_NONE;

	lookup_end_call(t);
	if (!failed) {
		memcpy(t->places, t->found, sizeof(t->places));
		t->count = t->found_count;
	}
	t->stage = LOOKUP_IDLE;
	target_on_looked_up(t, failed ? &t->err : NULL);
}

static void lookup_on_next(evutil_socket_t fd, short what, void *arg)
{
	struct target *t = arg;
	struct error err;

	(void)fd;
	(void)what;
	switch (t->stage) {
	case LOOKUP_IDLE:
		break;
	case LOOKUP_HOST:
		lookup_resolve(t, t->jvm.host, t->jvm.registry.port);
		break;
	case LOOKUP_CALL:
		if (!t->backend) {
			lookup_call(t);
			break;
		}
		fail(&err, ERROR_REFUSED, "%s: the registry does not reply",
		     t->jvm.title);
		lookup_fail(t, &err);
		break;
	case LOOKUP_STUB:
		lookup_read_stub(t);
		break;
	case LOOKUP_DONE:
		lookup_finish(t);
		break;
	}
}

/* Starts a lookup, unless one is running. */
static void lookup_start(struct target *t)
{
	if (t->stage != LOOKUP_IDLE)
		return;
	t->found_count = 0;
	t->err.kind = ERROR_NONE;
	lookup_set_stage(t, LOOKUP_HOST);
}

/* Until the first lookup, only the registry's host itself is known. */
static void target_init(struct target *t, struct socks *s,
			const struct upstream_options *jvm)
{
	struct event_base *base = s->front.door->base;

	t->socks = s;
	upstream_init(&t->jvm, jvm);
	t->next = evtimer_new(base, lookup_on_next, t);
	if (!t->next)
		alloc_give_up(sizeof(*t));
	t->dns = evdns_base_new(base, EVDNS_BASE_INITIALIZE_NAMESERVERS |
					      EVDNS_BASE_DISABLE_WHEN_INACTIVE);
	if (t->dns) {
		evdns_base_set_option(t->dns, "timeout", "2");
		evdns_base_set_option(t->dns, "attempts", "1");
	}
	lookup_add(t, t->jvm.host, t->jvm.registry.port);
	memcpy(t->places, t->found, sizeof(t->places));
	t->count = t->found_count;
}

static void target_free(struct target *t)
{
	if (t->request)
		evdns_getaddrinfo_cancel(t->request);
	if (t->dns)
		evdns_base_free(t->dns, 0);
	lookup_end_call(t);
	event_free(t->next);
	upstream_release(&t->jvm);
	free(t);
}

/* ---- clients ---- */

static struct door *socks_door(const struct client *c)
{
	return c->base.front->door;
}

static void client_free(struct client *c)
{
	if (c->dial)
		c->dial->dialer->ops->cancel(c->dial);
	relay_free(c->relay);
	door_leave(&c->base);
	free(c);
}

static void client_die(struct client *c)
{
	c->state = CLIENT_DEAD;
	door_client_die(&c->base);
}

static void client_write(struct client *c, struct text *bytes)
{
	bufferevent_write(c->base.stream, bytes->bytes, bytes->len);
	text_release(bytes);
}

/* Ends the client after the bytes were sent. */
static void client_end_after(struct client *c, struct text *bytes)
{
	c->state = CLIENT_ENDING;
	bufferevent_disable(c->base.stream, EV_READ);
	door_client_limit(&c->base, FINISH_NS);
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
	door_client_report(&c->base, NULL, NULL, message);
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
	door_client_limit(&c->base, 0);
	if (fd < 0) {
		client_report(c, err->text);
		client_reply(c, err->kind == ERROR_NO_TARGET
					? SOCKS_REFUSED
					: SOCKS_UNREACHABLE);
		return;
	}
	client_reply(c, SOCKS_GRANTED);
	c->state = CLIENT_RELAYED;
	c->relay = relay_new(socks_door(c)->base, c->base.stream, fd,
			     client_on_relay_ended, c);
	c->base.stream = NULL;
}

/* The first JVM with the requested address, or NULL. */
static struct target *client_find_target(const struct client *c)
{
	const struct socks *s = c->socks;

	for (size_t i = 0; i < s->target_count; i++)
		if (places_have(s->targets[i]->places, s->targets[i]->count,
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
			lookup_start(t);
		}
		is_running |= t->stage != LOOKUP_IDLE;
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
	const struct host_port *to = &t->sent_to;

	if (to->port == t->reported.port &&
	    strcmp(to->host, t->reported.host) == 0)
		return;
	t->reported = *to;
	door_report(t->socks->front.door,
		    "SOCKS: %s sends clients to %s, port %d", t->jvm.title,
		    to->host, to->port);
}

/* If the lookup failed, the old addresses remain. */
static void target_on_looked_up(struct target *t, const struct error *err)
{
	struct socks *s = t->socks;
	bool is_running = false;

	if (err)
		door_report(s->front.door, "SOCKS: %s", err->text);
	else
		target_report(t);
	for (size_t i = 0; i < s->target_count; i++)
		is_running |= s->targets[i]->stage != LOOKUP_IDLE;
	for (struct door_client *one = s->front.door->clients; one;
	     one = one->next) {
		struct client *c = (struct client *)one;

		if (one->front == &s->front && c->state == CLIENT_WAITING)
			client_connect(c, is_running);
	}
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
		bufferevent_disable(c->base.stream, EV_READ);
		door_client_limit(&c->base,
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

static void client_on_limit(struct door_client *base)
{
	struct client *c = (struct client *)base;

	if (c->state == CLIENT_WAITING) {
		client_refuse(c);
		return;
	}
	if (c->state < CLIENT_WAITING)
		client_report(
			c, "the client did not complete its request in time");
	client_die(c);
}

static void socks_begin(struct door_front *f, evutil_socket_t fd,
			const struct sockaddr_storage *peer)
{
	struct client *c = xcalloc(1, sizeof(*c));

	door_enter(f, &c->base, fd, peer);
	c->socks = (struct socks *)f;
	bufferevent_setcb(c->base.stream, client_on_read, client_on_write,
			  client_on_event, c);
	bufferevent_setwatermark(c->base.stream, EV_READ, 0, RELAY_WAITING_MAX);
	bufferevent_enable(c->base.stream, EV_READ | EV_WRITE);
	door_client_limit(&c->base, f->door->options.hello_ns);
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

	for (size_t i = 0; i < s->target_count; i++)
		target_free(s->targets[i]);
	free(s->targets);
	free(s);
}

static const struct door_front_ops socks_ops = {
	.begin = socks_begin,
	.drain = socks_drain,
	.on_limit = client_on_limit,
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

	target_init(t, s, jvm);
	array_add(s->targets, s->target_count, s->target_cap, t);
	t->lookup_ns = clock_monotonic_ns();
	lookup_start(t);
}
