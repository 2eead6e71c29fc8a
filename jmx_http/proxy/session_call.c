/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session forwards its client's messages to the JVM: judges them, and finds
 * the port of each.
 */
#include "jmx_http/net/socket.h"
#include "jmx_http/proxy/session.h"
#include "jmx_http/rmi/rmi_reply.h"

#include <event2/buffer.h>
#include <string.h>

#define MARSHALLED_MAX ((size_t)16 << 20) /* memory of an object's values */

/*
 * With --read-only, arguments may have these classes: those of filters, queries
 * and simple values.  A name that ends with a dot allows a package without its
 * subpackages.
 *
 * No hash tables: a few hundred bytes of nested sets keep the JVM's CPU busy
 * for years ("SerialDOS"), and readers may send them. NotificationFilterSupport
 * contains a Vector, queries Numbers.
 */
/* clang-format off */
static const char *const allowed_classes[] = {
	"java.lang.String", "java.lang.Number", "java.lang.Integer",
	"java.util.Vector", "java.util.ArrayList", "java.util.Date",
	"java.lang.Object", "java.lang.Boolean", "java.lang.Character",
	"java.lang.Byte", "java.lang.Short", "java.lang.Long",
	"java.lang.Float", "java.lang.Double", "java.math.", "javax.management.",
	"javax.management.relation.MBeanServerNotificationFilter",
};
/* clang-format on */

static bool class_name_matches(const char *name, size_t len,
			       const char *pattern)
{
	size_t pattern_len = strlen(pattern);

	if (pattern[pattern_len - 1] != '.')
		return len == pattern_len && memcmp(name, pattern, len) == 0;
	return len > pattern_len && memcmp(name, pattern, pattern_len) == 0 &&
	       !memchr(name + pattern_len, '.', len - pattern_len);
}

/* An array is allowed if its elements are; primitive types always are. */
static bool class_is_allowed(const struct java_class *class)
{
	const char *name = class->name.at;
	size_t len = class->name.len;

	if (class->is_proxy)
		return false;
	while (len && name[0] == '[') {
		name++;
		len--;
	}
	if (len < class->name.len) {
		if (len == 1)
			return true;
		if (len < 3 || name[0] != 'L' || name[len - 1] != ';')
			return false;
		name++;
		len -= 2;
	}
	for (size_t i = 0;
	     i < sizeof(allowed_classes) / sizeof(*allowed_classes); i++)
		if (class_name_matches(name, len, allowed_classes[i]))
			return true;
	return false;
}

static bool classes_are_allowed(const struct java_list *classes)
{
	for (size_t i = 0; i < classes->count; i++)
		if (!class_is_allowed(classes->at[i]->class))
			return false;
	return true;
}

/* A MarshalledObject contains a stream in an array of bytes. */
static bool marshalled_is_allowed(const struct java_value *marshalled)
{
	const struct java_value *bytes = request_marshalled(marshalled);
	const struct java_value *value;
	struct java_stream stream = { .memory_max = MARSHALLED_MAX };
	bool is_allowed;
	size_t used;

	if (!bytes || bytes->kind == JAVA_NULL)
		return true;
	is_allowed = java_stream_read(&stream, bytes->array.raw,
				      bytes->array.count, &used,
				      &value) == JAVA_DONE &&
		     classes_are_allowed(&stream.classes);
	java_stream_release(&stream);
	return is_allowed;
}

/* Only arguments and elements of array arguments are MarshalledObjects. */
static bool argument_is_allowed(const struct java_value *v)
{
	if (v->kind != JAVA_ARRAY)
		return marshalled_is_allowed(v);
	for (size_t i = 0; i < v->array.elements.count; i++)
		if (!marshalled_is_allowed(v->array.elements.at[i]))
			return false;
	return true;
}

static struct policy_text text_of(struct java_bytes bytes)
{
	return (struct policy_text){ bytes.at, bytes.len };
}

/* One attribute or operation, or an array of them. */
static void rmi_call_add_member(struct policy_call *c,
				const struct java_value *v)
{
	struct java_bytes member = java_string_of(v);

	c->member_count = 1;
	if (v->kind == JAVA_ARRAY && v->array.elements.count) {
		c->member_count = v->array.elements.count;
		member = java_string_of(v->array.elements.at[0]);
	}
	c->member = text_of(member);
}

/* Describes a whole call; the texts belong to r. */
static struct policy_call rmi_call_of(const struct request *r)
{
	static const enum policy_verb verbs[] = {
		[METHOD_READS] = POLICY_READ,
		[METHOD_CHANGES] = POLICY_CHANGE,
		[METHOD_INVOKES] = POLICY_INVOKE,
		[METHOD_NAMES] = POLICY_BIND,
	};
	const struct method *m = r->method;
	struct policy_call c = { .verb = verbs[m->effect], .method = m->name };

	if (m->object >= 0)
		c.object = text_of(
			request_object_name(r->arguments[m->object]));
	if (m->member >= 0)
		rmi_call_add_member(&c, r->arguments[m->member]);
	return c;
}

const char *rmi_call_objection(const struct request *r, bool read_only)
{
	struct policy_call c = rmi_call_of(r);

	if (c.verb != POLICY_BIND && r->objection)
		return r->objection;
	for (size_t i = 0; read_only && i < r->argument_count; i++)
		if (!argument_is_allowed(r->arguments[i]))
			return "--read-only permits only simple values, "
			       "filters "
			       "and queries as arguments";
	return policy_objection(&c, read_only);
}

/* True for a login with a user and a password. */
static bool rmi_call_has_password(const struct request *r)
{
	return r->method->is_login && r->arguments[0]->kind != JAVA_NULL;
}

/* A return: its tag, four bytes of the stream, block data of 15, its type. */
#define RETURN_TYPE_AT 7

void rmi_call_log_return(struct call_log *l, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	if (l->len <= RETURN_TYPE_AT && RETURN_TYPE_AT - l->len < len)
		l->is_exception = at[RETURN_TYPE_AT - l->len] ==
				  JRMP_RETURN_EXCEPTION;
	call_log_add(l, len);
}

/* ---- forwarding ---- */

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
	*unused = backend_new_rmi(context, &s->front->jvm, endpoint);
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
		bufferevent_write(s->base.stream, &ack, 1);
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

	if (o->to_client && !s->base.is_tls &&
	    session_is_private(s->request.method))
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
	if (!s->base.is_tls && !cidr_is_loopback(&s->base.peer))
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
