/* SPDX-License-Identifier: Apache-2.0 */
/* A session forwards its client's messages to the JVM. */
#include "jmx_http/net/socket.h"
#include "jmx_http/proxy/session.h"
#include "jmx_http/rmi/rmi_reply.h"

#include <event2/buffer.h>
#include <string.h>

/* Returns the connection to a port; a new one may replace an unused one. */
static struct backend *session_backend_for(struct session *s,
					   struct endpoint endpoint)
{
	struct door *d = session_door(s);
	const struct backend_context context = {
		.base = d->base,
		.tls = d->options.to_jvm,
		.connect_ns = d->options.connect_ns,
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
	*unused = backend_new(&context, &s->front->jvm, endpoint);
	return *unused;
}

/*
 * True if a message may be sent to b now: after the return of the previous
 * message, or before it if b gets both and both returns are forwarded unparsed.
 */
static bool session_may_send(const struct session *s, const struct backend *b,
			     bool is_passed_on)
{
	return s->wait == WAIT_NOTHING ||
	       (s->wait == WAIT_RETURN && is_passed_on && b == s->current);
}

static void session_send(struct session *s, struct backend *b,
			 struct text *bytes)
{
	s->current = b;
	backend_send(b, bytes);
}

/*
 * A client pings before it reuses a connection.  The proxy forwards the ping,
 * because only the JVM can prove that it is alive.
 */
static bool session_send_ping(struct session *s)
{
	const uint8_t ack = JRMP_PING_ACK;

	if (!session_may_send(s, s->current, true))
		return false;
	if (!s->current) {
		bufferevent_write(s->client, &ack, 1);
		return true;
	}
	s->is_piped = s->wait != WAIT_NOTHING;
	session_send(s, s->current, &s->request.message);
	session_expect(s, WAIT_RETURN);
	s->is_pinging = true;
	session_limit(s, session_door(s)->options.connect_ns);
	return true;
}

/* Forwards the acknowledgement of a stub, over any connection to the JVM. */
static bool session_send_ack(struct session *s)
{
	struct upstream *jvm = &s->front->jvm;

	if (s->wait != WAIT_NOTHING)
		return false;
	if (!s->current && jvm->has_server)
		s->current = session_backend_for(s, jvm->server);
	if (s->current)
		session_send(s, s->current, &s->request.message);
	return true;
}

void session_refuse(struct session *s, const struct java_shape *exception,
		    const char *message)
{
	struct text out = { 0 }, said = { 0 };
	struct rmi_exception e = { .shape = exception };

	text_printf(&said, "sjkc: %s", message);
	e.message = said.bytes;
	rmi_reply_exception(&out, &e);
	session_write(s, &out);
	text_release(&said);
	text_release(&out);
}

static void session_log_call(struct session *s, const char *objection)
{
	struct policy_call call = rmi_call_of(&s->request);

	session_log(s);
	if (!session_door(s)->options.call)
		return;
	call_log_begin(&s->log, &call, s->request.used);
	s->log.refused = objection;
}

/* Rejects a call, or replies for a JVM without a registry. */
static bool session_reply_here(struct session *s, const char *objection)
{
	const struct upstream *jvm = &s->front->jvm;
	struct stub_target to;
	struct text out = { 0 };

	if (s->wait != WAIT_NOTHING)
		return false;
	session_log_call(s, objection);
	if (objection) {
		door_report_limited(session_door(s), objection,
				    "%s: call of %s rejected: %s", jvm->title,
				    s->request.method->name, objection);
		session_refuse(s, &java_shape_security_exception, objection);
		return true;
	}
	to = session_stub_target(s);
	returns_add_lookup(&out, &s->request, &jvm->stub, &to);
	session_write(s, &out);
	text_release(&out);
	return true;
}

/* The endpoint of a call; a DGC call goes to that of its objects. */
static struct endpoint session_endpoint(struct session *s)
{
	struct upstream *jvm = &s->front->jvm;
	struct jrmp_id id;
	size_t at = 0;

	if (!request_is_dgc(&s->request.object))
		return upstream_route(jvm, &s->request.object);
	while (request_dgc_id(&s->request, &at, &id))
		if (upstream_knows(jvm, &id))
			return upstream_route(jvm, &id);
	return jvm->has_server ? jvm->server : jvm->registry;
}

/* True for calls that may contain secrets: not of the registry or DGC. */
static bool session_is_private(const struct method *m)
{
	return m->interface == METHOD_OF_SERVER ||
	       m->interface == METHOD_OF_CONNECTION;
}

/* Before a login, returns are small; among them are those with stubs. */
static bool session_reply_is_parsed(const struct method *m)
{
	return m->interface != METHOD_OF_CONNECTION;
}

static const char *session_objection(const struct session *s)
{
	const struct door_options *o = &session_door(s)->options;

	if (o->to_client && !s->is_tls && session_is_private(s->request.method))
		return "this port requires TLS for this call";
	return rmi_call_objection(&s->request, o->read_only);
}

/* Warns before a password crosses a network without TLS. */
static void session_warn_clear(struct session *s, const struct backend *b)
{
	const char *title = s->front->jvm.title;
	struct door *d = session_door(s);
	struct text host = { 0 };

	socket_add_host(&host, &s->base.peer);
	if (!s->is_tls && !cidr_is_loopback(&s->base.peer))
		door_report_limited(
			d, NULL,
			"%s: warning: client %s sends a password "
			"without encryption; use --tls-cert to prevent "
			"it",
			title, host.bytes);
	if (!backend_is_tls(b) && upstream_is_remote(&s->front->jvm))
		door_report_limited(
			d, title,
			"%s: warning: a password is sent to the JVM "
			"without encryption; use --tls to prevent it",
			title);
	text_release(&host);
}

static void session_forward(struct session *s, struct backend *b)
{
	struct request *r = &s->request;

	session_log_call(s, NULL);
	if (rmi_call_has_password(r))
		session_warn_clear(s, b);
	s->is_piped = s->wait != WAIT_NOTHING;
	session_send(s, b, &r->message);
	session_expect(s, WAIT_RETURN);
	if (session_reply_is_parsed(r->method))
		session_expect_whole(s);
}

static bool session_send_call(struct session *s)
{
	const struct method *m = s->request.method;
	const char *objection = session_objection(s);
	struct backend *b;

	if (objection ||
	    (s->front->jvm.has_stub && m->interface == METHOD_OF_REGISTRY))
		return session_reply_here(s, objection);
	if (s->wait != WAIT_NOTHING && s->wait != WAIT_RETURN)
		return false;
	b = session_backend_for(s, session_endpoint(s));
	if (!session_may_send(s, b, !session_reply_is_parsed(m)))
		return false;
	if (session_door(s)->options.tls_required && session_is_private(m) &&
	    !backend_require_tls(b))
		return session_reply_here(s, "the JVM does not use TLS, which "
					     "--tls requires");
	session_forward(s, b);
	return true;
}

bool session_call(struct session *s)
{
	switch (s->request.kind) {
	case REQUEST_PING:
		return session_send_ping(s);
	case REQUEST_DGC_ACK:
		return session_send_ack(s);
	default:
		return session_send_call(s);
	}
}
