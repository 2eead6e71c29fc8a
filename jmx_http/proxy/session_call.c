/* SPDX-License-Identifier: Apache-2.0 */
/* Where a client's messages go. */
#include "jmx_http/net/socket.h"
#include "jmx_http/proxy/lookup_reply.h"
#include "jmx_http/proxy/policy.h"
#include "jmx_http/proxy/session.h"

#include <event2/buffer.h>
#include <string.h>

#define PING_ACK 0x53

/* The connection to the port, if need be in place of one not in use. */
static struct backend *backend_for(struct session *s, struct endpoint endpoint)
{
	struct proxy *p = s->listener->proxy;
	const struct backend_context context = {
		.base = p->base,
		.tls = p->options.to_jvm,
		.connect_ns = p->options.connect_ns,
		.events = &session_backend_events,
		.self = s,
	};
	struct backend **unused = NULL;

	for (size_t i = 0; i < SESSION_BACKENDS_MAX; i++) {
		struct backend *b = s->backends[i];

		if (b && b->endpoint.port == endpoint.port)
			return b;
		if (!b || (!unused && b != s->current))
			unused = &s->backends[i];
	}
	backend_free(*unused);
	*unused = backend_new(&context, &s->listener->pair, endpoint);
	return *unused;
}

/*
 * True when a message may be sent there now: after the return to the one
 * before, or before it when both returns are passed on as they come.
 */
static bool is_its_turn(const struct session *s, const struct backend *b,
			bool is_passed_on)
{
	return s->wait == WAIT_NOTHING ||
	       (s->wait == WAIT_RETURN && is_passed_on && b == s->current);
}

static void send_to(struct session *s, struct backend *b,
		    const struct text *bytes)
{
	s->current = b;
	backend_send(b, bytes->bytes, bytes->len);
}

/*
 * A client asks before it uses a connection again.  So does the proxy then:
 * there is no other answer than whether the JVM answers.
 */
static bool ping(struct session *s)
{
	const uint8_t ack = PING_ACK;

	if (!is_its_turn(s, s->current, true))
		return false;
	if (!s->current) {
		bufferevent_write(s->client, &ack, 1);
		return true;
	}
	s->is_piped = s->wait != WAIT_NOTHING;
	send_to(s, s->current, &s->request.bytes);
	s->wait = WAIT_RETURN;
	s->is_pinging = true;
	session_limit(s, s->listener->proxy->options.connect_ns);
	return true;
}

/* That a stub has arrived: of interest to the JVM, on any connection to it. */
static bool acknowledge(struct session *s)
{
	struct upstream *pair = &s->listener->pair;

	if (s->wait != WAIT_NOTHING)
		return false;
	if (!s->current && pair->has_server)
		s->current = backend_for(s, pair->server);
	if (s->current)
		send_to(s, s->current, &s->request.bytes);
	return true;
}

void session_refuse(struct session *s, enum refusal_kind kind,
		    const char *message)
{
	struct text out = { 0 }, said = { 0 };

	text_printf(&said, "sjkc: %s", message);
	refusal_add(&out, kind, said.bytes);
	session_write(s, &out);
	text_release(&said);
	text_release(&out);
}

static void log_call(struct session *s, const char *objection)
{
	session_log(s);
	if (!s->listener->proxy->options.call)
		return;
	call_log_begin(&s->log, &s->request);
	s->log.refused = objection;
}

/* Refused, or answered for a JVM that has no registry. */
static bool answer(struct session *s, const char *objection)
{
	const struct upstream *pair = &s->listener->pair;
	struct session_way way;
	struct text out = { 0 };

	if (s->wait != WAIT_NOTHING)
		return false;
	log_call(s, objection);
	if (objection) {
		proxy_say_seldom(s->listener->proxy, objection,
				 "%s: %s refused: %s", pair->title,
				 s->request.method->name, objection);
		session_refuse(s, REFUSAL_SECURITY, objection);
		return true;
	}
	session_way(s, &way);
	lookup_reply_write(&out, &s->request, &pair->stub, way.host, way.port,
			   way.tls);
	session_write(s, &out);
	text_release(&out);
	return true;
}

/* Garbage collection is for the objects in it, of which the JVM has all. */
static struct endpoint endpoint_of(struct session *s)
{
	const struct upstream *pair = &s->listener->pair;
	struct jrmp_id id;
	size_t at = 0;

	if (!request_is_dgc(&s->request.object))
		return upstream_route(pair, &s->request.object);
	while (request_dgc_id(&s->request, &at, &id))
		if (upstream_knows(pair, &id))
			return upstream_route(pair, &id);
	return pair->has_server ? pair->server : pair->registry;
}

/* What is not asked of a registry is behind TLS, where we have it. */
static const char *objection_to(const struct session *s)
{
	const struct proxy_options *o = &s->listener->proxy->options;
	const struct method *m = s->request.method;

	if (o->to_client && !s->is_tls &&
	    (m->of == METHOD_OF_SERVER || m->of == METHOD_OF_CONNECTION))
		return "this port wants TLS for that";
	return policy_objection(&s->request, o->read_only);
}

static bool call(struct session *s)
{
	const struct request *r = &s->request;
	const struct listener *l = s->listener;
	const char *objection = objection_to(s);
	struct backend *b;

	if (objection ||
	    (l->pair.has_stub && r->method->of == METHOD_OF_REGISTRY))
		return answer(s, objection);
	if (s->wait != WAIT_NOTHING && s->wait != WAIT_RETURN)
		return false;
	b = backend_for(s, endpoint_of(s));
	if (!is_its_turn(s, b, !r->method->gives_stub))
		return false;
	log_call(s, NULL);
	s->is_piped = s->wait != WAIT_NOTHING;
	send_to(s, b, &r->bytes);
	s->wait = WAIT_RETURN;
	if (r->method->gives_stub)
		session_expect_stub(s, r->method->is_login);
	return true;
}

bool session_call(struct session *s)
{
	switch (s->request.kind) {
	case REQUEST_PING:
		return ping(s);
	case REQUEST_DGC_ACK:
		return acknowledge(s);
	default:
		return call(s);
	}
}
