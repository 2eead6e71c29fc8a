/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/socks.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/socket.h"
#include "jmx_http/proxy/endpoint_discovery.h"
#include "jmx_http/proxy/listener.h"
#include "jmx_http/proxy/relay.h"
#include "jmx_http/proxy/socks_request.h"

#include <errno.h>
#include <event2/buffer.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ASK_NS    (5 * CLOCK_NS_PER_S) /* between two times a JVM is asked */
#define FINISH_NS (5 * CLOCK_NS_PER_S) /* for a refusal to be read */

struct target {
	struct socks *socks;
	struct upstream pair;
	struct endpoint_discovery advertised;
	int64_t asked_ns;
	struct place said; /* where it sends clients */
};

struct socks {
	struct proxy *proxy;
	struct evconnlistener *accepts;
	struct target **targets;
	size_t target_count, target_cap;
	struct client *clients;
	size_t client_count;
};

enum client_state {
	CLIENT_GREETING,
	CLIENT_REQUEST,
	CLIENT_ASKING, /* JVMs, whether they are what it wants */
	CLIENT_DIALLING,
	CLIENT_RELAYED,
	CLIENT_ENDING, /* until it was told why */
	CLIENT_DEAD,   /* freed from the loop */
};

struct client {
	struct client *next, **at;
	struct socks *socks;
	enum client_state state;
	struct sockaddr_storage peer;
	struct bufferevent *buffer; /* the relay's, once there is one */
	struct event *timer;
	struct socks_request wanted;
	struct dial *dial;
	struct relay *relay;
};

static void set_timer(struct client *c, int64_t ns)
{
	struct timeval tv = socket_timeval(ns);

	evtimer_add(c->timer, &tv);
}

static void free_client(struct client *c)
{
	*c->at = c->next;
	if (c->next)
		c->next->at = c->at;
	c->socks->client_count--;
	if (c->dial)
		c->dial->dialer->ops->cancel(c->dial);
	if (c->relay)
		relay_free(c->relay);
	else
		bufferevent_free(c->buffer);
	event_free(c->timer);
	free(c);
}

static void die(struct client *c)
{
	c->state = CLIENT_DEAD;
	set_timer(c, 0);
}

static void write_text(struct client *c, struct text *bytes)
{
	bufferevent_write(c->buffer, bytes->bytes, bytes->len);
	text_release(bytes);
}

/* It ends when it has read that. */
static void end_with(struct client *c, struct text *bytes)
{
	c->state = CLIENT_ENDING;
	bufferevent_disable(c->buffer, EV_READ);
	set_timer(c, FINISH_NS);
	write_text(c, bytes);
}

static void reply(struct client *c, enum socks_reply what)
{
	struct text bytes = { 0 };

	socks_add_reply(&bytes, what);
	if (what == SOCKS_GRANTED)
		write_text(c, &bytes);
	else
		end_with(c, &bytes);
}

static void complain(const struct client *c, const char *what)
{
	struct text host = { 0 };

	socket_add_host(&host, &c->peer);
	proxy_say_seldom(c->socks->proxy, NULL, "SOCKS: client %s: %s",
			 host.bytes, what);
	text_release(&host);
}

static void on_relay_ended(void *self) { die(self); }

static void on_dialled(void *self, evutil_socket_t fd, const struct error *err)
{
	struct client *c = self;
	struct proxy *p = c->socks->proxy;

	c->dial = NULL;
	if (c->state == CLIENT_DEAD) {
		if (fd >= 0)
			close(fd);
		return;
	}
	evtimer_del(c->timer);
	if (fd < 0) {
		complain(c, err->text);
		reply(c, err->kind == ERROR_NO_TARGET ? SOCKS_REFUSED
						      : SOCKS_UNREACHABLE);
		return;
	}
	reply(c, SOCKS_GRANTED);
	c->state = CLIENT_RELAYED;
	c->relay = relay_new(p->base, c->buffer, fd, on_relay_ended, c);
}

/* The first that is what it wants, or NULL. */
static struct target *target_for(const struct client *c)
{
	const struct socks *s = c->socks;

	for (size_t i = 0; i < s->target_count; i++)
		if (endpoint_discovery_has(&s->targets[i]->advertised,
					   c->wanted.host, c->wanted.port))
			return s->targets[i];
	return NULL;
}

/* Asks those again that were not just asked; false when none is asked. */
static bool ask_targets(struct socks *s)
{
	int64_t now = clock_monotonic_ns();
	bool asks = false;

	for (size_t i = 0; i < s->target_count; i++) {
		struct target *t = s->targets[i];

		if (now >= t->asked_ns + ASK_NS) {
			t->asked_ns = now;
			endpoint_discovery_ask(&t->advertised);
		}
		asks |= endpoint_discovery_asks(&t->advertised);
	}
	return asks;
}

static void refuse(struct client *c)
{
	struct text what = { 0 };

	text_printf(&what,
		    "%s, port %d, is refused: no JVM of this proxy sends "
		    "clients there",
		    c->wanted.host, c->wanted.port);
	complain(c, what.bytes);
	text_release(&what);
	reply(c, SOCKS_NOT_ALLOWED);
}

/* A client may ask before the JVMs have said where they are, or moved since. */
static void connect_it(struct client *c, bool may_ask)
{
	struct target *t = target_for(c);
	const struct proxy_options *o = &c->socks->proxy->options;
	struct dialer *d;

	if (!t && may_ask && ask_targets(c->socks)) {
		c->state = CLIENT_ASKING;
		return;
	}
	if (!t) {
		refuse(c);
		return;
	}
	d = t->pair.dialer;
	c->state = CLIENT_DIALLING;
	c->dial = d->ops->begin(d, c->wanted.port, o->connect_ns, on_dialled,
				c);
}

/* Once, and again when it has changed. */
static void say_where(struct target *t)
{
	const struct place *to = &t->advertised.sent_to;

	if (to->port == t->said.port && strcmp(to->host, t->said.host) == 0)
		return;
	t->said = *to;
	proxy_say(t->socks->proxy, "SOCKS: %s sends clients to %s, port %d",
		  t->pair.title, to->host, to->port);
}

static void on_asked(void *self, const struct error *err)
{
	struct target *t = self;
	struct socks *s = t->socks;
	bool asks = false;

	if (err)
		proxy_say(s->proxy, "SOCKS: %s", err->text);
	else
		say_where(t);
	for (size_t i = 0; i < s->target_count; i++)
		asks |= endpoint_discovery_asks(&s->targets[i]->advertised);
	for (struct client *c = s->clients; c; c = c->next)
		if (c->state == CLIENT_ASKING)
			connect_it(c, asks);
}

static bool take_greeting(struct client *c, struct evbuffer *in)
{
	size_t len = evbuffer_get_length(in), used = 0;
	enum socks_status status = socks_read_greeting(evbuffer_pullup(in, -1),
						       len, &used);
	struct text answer = { 0 };

	if (status == SOCKS_MORE)
		return false;
	if (status == SOCKS_WRONG) {
		complain(c, "it does not speak SOCKS 5");
		die(c);
		return false;
	}
	evbuffer_drain(in, used);
	socks_add_method(&answer, status);
	if (status == SOCKS_DONE) {
		write_text(c, &answer);
		c->state = CLIENT_REQUEST;
		return true;
	}
	complain(c, "it wants to log in, which is not offered");
	end_with(c, &answer);
	return false;
}

static bool take_request(struct client *c, struct evbuffer *in)
{
	size_t len = evbuffer_get_length(in), used = 0;
	enum socks_status status = socks_read_request(evbuffer_pullup(in, -1),
						      len, &c->wanted, &used);

	if (status == SOCKS_MORE)
		return false;
	evbuffer_drain(in, used);
	if (status == SOCKS_DONE) {
		/* What it sends before there is an answer, waits. */
		bufferevent_disable(c->buffer, EV_READ);
		set_timer(c, 4 * c->socks->proxy->options.connect_ns);
		connect_it(c, true);
		return false;
	}
	complain(c, "it wants what is not offered of SOCKS");
	reply(c, socks_reply_of(status));
	return false;
}

static void on_read(struct bufferevent *buffer, void *arg)
{
	struct client *c = arg;
	struct evbuffer *in = bufferevent_get_input(buffer);
	bool more = true;

	while (more && evbuffer_get_length(in)) {
		if (c->state == CLIENT_GREETING)
			more = take_greeting(c, in);
		else if (c->state == CLIENT_REQUEST)
			more = take_request(c, in);
		else
			more = false;
	}
}

static void on_write(struct bufferevent *buffer, void *arg)
{
	struct client *c = arg;

	(void)buffer;
	if (c->state == CLIENT_ENDING)
		die(c);
}

static void on_event(struct bufferevent *buffer, short what, void *arg)
{
	(void)buffer;
	(void)what;
	die(arg);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct client *c = arg;

	(void)fd;
	(void)what;
	switch (c->state) {
	case CLIENT_GREETING:
	case CLIENT_REQUEST:
		complain(c, "it says nothing, or too little, in time");
		free_client(c);
		break;
	case CLIENT_ASKING:
		refuse(c);
		break;
	default:
		free_client(c);
		break;
	}
}

static void begin(struct socks *s, evutil_socket_t fd,
		  const struct sockaddr_storage *peer)
{
	struct client *c = xcalloc(1, sizeof(*c));

	c->socks = s;
	c->peer = *peer;
	socket_set(fd);
	c->buffer = bufferevent_socket_new(s->proxy->base, fd,
					   BEV_OPT_CLOSE_ON_FREE);
	c->timer = evtimer_new(s->proxy->base, on_timer, c);
	if (!c->buffer || !c->timer)
		alloc_give_up(sizeof(*c));
	bufferevent_setcb(c->buffer, on_read, on_write, on_event, c);
	bufferevent_setwatermark(c->buffer, EV_READ, 0, RELAY_WAITING_MAX);
	bufferevent_enable(c->buffer, EV_READ | EV_WRITE);
	set_timer(c, s->proxy->options.hello_ns);
	c->next = s->clients;
	c->at = &s->clients;
	if (c->next)
		c->next->at = &c->next;
	s->clients = c;
	s->client_count++;
}

static size_t clients_of(const struct socks *s,
			 const struct sockaddr_storage *peer)
{
	struct text host = { 0 }, other = { 0 };
	size_t count = 0;

	socket_add_host(&host, peer);
	for (const struct client *c = s->clients; c; c = c->next) {
		text_clear(&other);
		socket_add_host(&other, &c->peer);
		count += strcmp(host.bytes, other.bytes) == 0;
	}
	text_release(&host);
	text_release(&other);
	return count;
}

/* Why a client is not taken, or NULL. */
static const char *objection(const struct socks *s,
			     const struct sockaddr_storage *peer)
{
	const struct proxy_options *o = &s->proxy->options;

	if (s->proxy->is_draining)
		return "the proxy is ending";
	if (!listener_allows(s->proxy, peer))
		return "it is not among those of --allow";
	if (s->client_count >= o->clients_max)
		return "there are as many clients as may be: --max-clients";
	if (clients_of(s, peer) >= o->clients_of_peer_max)
		return "there are as many clients of one host as may be";
	return NULL;
}

static void on_accept(struct evconnlistener *accepts, evutil_socket_t fd,
		      struct sockaddr *address, int len, void *arg)
{
	struct sockaddr_storage peer = { 0 };
	struct text host = { 0 };
	struct socks *s = arg;
	const char *why;

	(void)accepts;
	memcpy(&peer, address,
	       (size_t)len < sizeof(peer) ? (size_t)len : sizeof(peer));
	why = objection(s, &peer);
	if (!why) {
		begin(s, fd, &peer);
		return;
	}
	socket_add_host(&host, &peer);
	proxy_say_seldom(s->proxy, NULL, "SOCKS: client %s refused: %s",
			 host.bytes, why);
	text_release(&host);
	socket_reset_on_close(fd);
	close(fd);
}

static void on_error(struct evconnlistener *accepts, void *arg)
{
	struct socks *s = arg;

	listener_send_away(s->proxy, accepts, "SOCKS");
}

struct socks *socks_new(struct proxy *p, const struct sockaddr_storage *bind,
			uint16_t *port, struct error *err)
{
	struct socks *s = xcalloc(1, sizeof(*s));

	s->proxy = p;
	s->accepts = listener_bind(p, bind, on_accept, s, port, err);
	if (s->accepts) {
		evconnlistener_set_error_cb(s->accepts, on_error);
		return s;
	}
	socks_free(s);
	return NULL;
}

void socks_add(struct socks *s, const struct proxy_pair *pair)
{
	struct target *t = xcalloc(1, sizeof(*t));
	const struct proxy_options *o = &s->proxy->options;

	t->socks = s;
	t->pair.title = xstrdup(pair->title);
	t->pair.host = xstrdup(pair->host);
	t->pair.dialer = pair->dialer;
	t->pair.registry.port = pair->port;
	t->pair.registry.tls = ENDPOINT_LOOK;
	endpoint_discovery_init(&t->advertised, s->proxy->base, &t->pair,
				pair->host, o->to_jvm, o->connect_ns, on_asked,
				t);
	array_reserve(s->targets, s->target_cap, s->target_count + 1);
	s->targets[s->target_count++] = t;
	t->asked_ns = clock_monotonic_ns();
	endpoint_discovery_ask(&t->advertised);
}

void socks_free(struct socks *s)
{
	if (!s)
		return;
	while (s->clients)
		free_client(s->clients);
	if (s->accepts)
		evconnlistener_free(s->accepts);
	for (size_t i = 0; i < s->target_count; i++) {
		endpoint_discovery_release(&s->targets[i]->advertised);
		upstream_release(&s->targets[i]->pair);
		free(s->targets[i]);
	}
	free(s->targets);
	free(s);
}
