/* SPDX-License-Identifier: Apache-2.0 */
/* A session forwards the JVM's returns, and rewrites those with a stub. */
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/net/socket.h"
#include "jmx_http/proxy/session.h"
#include "jmx_http/rmi/methods.h"
#include "jmx_http/rmi/rmi_reply.h"

#include <event2/buffer.h>
#include <stdlib.h>
#include <string.h>

#define REPLY_BYTES_MAX  ((size_t)1 << 20)  /* size of a return with a stub */
#define REPLY_MEMORY_MAX ((size_t)16 << 20) /* memory of its values */

#define NO_CALL          "the JVM sent bytes that no call asked for"

/* ---- writes returns in place of the JVM, and encodes references ---- */

#define RETURN_TAG_LEN  1 /* before the stream: Java RMI Specification, 10.2 */

#define SHORT_BLOCK_MAX 255

/* The byte after the name of a UnicastRef2. */
#define WITHOUT_FACTORY 0
#define WITH_FACTORY    1

#define ENTRY           "jmxrmi"

/* No MBean server returns it by itself. */
static const struct java_shape ssl_factory = {
	.name = "javax.rmi.ssl.SslRMIClientSocketFactory",
	.suid = 0x8caab4bb8185250fu,
	.flags = JAVA_SERIALIZABLE,
};

static void returns_add_utf(struct text *out, const char *text)
{
	java_write_u16(out, (uint16_t)strlen(text));
	text_puts(out, text);
}

static void returns_add_block(struct text *out, const struct text *data)
{
	if (data->len <= SHORT_BLOCK_MAX) {
		java_write_block(out, (uint8_t)data->len);
	} else {
		text_putc(out, TC_BLOCKDATALONG);
		java_write_u32(out, (uint32_t)data->len);
	}
	text_add(out, data->bytes, data->len);
}

static void returns_add_endpoint(struct text *data,
				 const struct stub_target *to)
{
	returns_add_utf(data, to->host);
	java_write_u32(data, to->port);
}

static void returns_add_id(struct text *data, const struct stub *stub)
{
	text_add(data, stub->id.bytes, JRMP_ID_LEN);
	text_putc(data, stub->is_result);
}

static void returns_add_tls_reference(struct text *out, const struct stub *stub,
				      const struct stub_target *to)
{
	struct text data = { 0 };

	returns_add_utf(&data, "UnicastRef2");
	text_putc(&data, WITH_FACTORY);
	returns_add_endpoint(&data, to);
	returns_add_block(out, &data);
	java_write_object(out, &ssl_factory, JAVA_OF_RMI);
	text_clear(&data);
	returns_add_id(&data, stub);
	returns_add_block(out, &data);
	text_release(&data);
}

/* Encodes a reference as java.rmi.server.RemoteObject.writeObject(). */
static void returns_add_reference(struct text *out, const struct stub *stub,
				  const struct stub_target *to)
{
	struct text data = { 0 };

	if (to->is_tls) {
		returns_add_tls_reference(out, stub, to);
		return;
	}
	/* Keep the kind of a reference without a factory. */
	if (java_bytes_are(stub->reference, "UnicastRef2") &&
	    stub->end == stub->block_end) {
		returns_add_utf(&data, "UnicastRef2");
		text_putc(&data, WITHOUT_FACTORY);
	} else {
		returns_add_utf(&data, "UnicastRef");
	}
	returns_add_endpoint(&data, to);
	returns_add_id(&data, stub);
	returns_add_block(out, &data);
	text_release(&data);
}

static void returns_add_not_bound(struct text *out)
{
	const struct rmi_exception e = {
		.shape = &java_shape_not_bound_exception,
		.message = "the only name bound here is \"" ENTRY "\"",
	};

	rmi_reply_exception(out, &e);
}

void returns_add_lookup(struct text *out, const struct request *r,
			const struct stub *stub, const struct stub_target *to)
{
	if (!r->method->gives_stub) {
		rmi_reply_value(out);
		java_write_array(out, "[Ljava.lang.String;", 1, JAVA_OF_RMI);
		java_write_string(out, ENTRY, strlen(ENTRY));
	} else if (java_bytes_are(java_string_of(r->arguments[0]), ENTRY)) {
		rmi_reply_value(out);
		java_write_object(out, &java_shape_server_stub, JAVA_OF_RMI);
		returns_add_reference(out, stub, to);
		java_write_end(out);
	} else {
		returns_add_not_bound(out);
	}
}

void returns_rewrite(struct text *out, const char *bytes, size_t len,
		     const struct stub *stub, const struct stub_target *to)
{
	size_t rest = RETURN_TAG_LEN + stub->end;

	text_add(out, bytes, RETURN_TAG_LEN + stub->begin);
	returns_add_reference(out, stub, to);
	text_add(out, bytes + rest, len - rest);
}

/* ---- returns of the JVM ---- */

/* A return that is parsed before it is forwarded. */
struct reply {
	const struct method *method; /* see gives_stub and is_login */
	bool is_other; /* the stub was looked up by another name than jmxrmi */
	struct jrmp_return message;
	struct text bytes;
	size_t used;
	/* Kept until the probe shows the server's port. */
	struct stub stub;
	struct jrmp_return probe;
	struct text probe_bytes;
	size_t probe_used;
};

void session_expect_whole(struct session *s)
{
	const struct method *m = s->request.method;

	s->reply = xcalloc(1, sizeof(*s->reply));
	s->reply->method = m;
	s->reply->is_other = m->interface == METHOD_OF_REGISTRY &&
			     m->gives_stub &&
			     !java_bytes_are(
				     java_string_of(s->request.arguments[0]),
				     "jmxrmi");
	s->reply->message.is_void = method_is_void(
		(enum jmx_method)(m - jmx_methods));
	s->reply->message.stream.memory_max = REPLY_MEMORY_MAX;
	s->reply->probe.stream.memory_max = REPLY_MEMORY_MAX;
	session_expect(s, WAIT_WHOLE);
}

void session_reply_release(struct session *s)
{
	struct reply *r = s->reply;

	if (!r)
		return;
	jrmp_return_release(&r->message);
	jrmp_return_release(&r->probe);
	text_release(&r->bytes);
	text_release(&r->probe_bytes);
	free(r);
	s->reply = NULL;
}

/* The address that the client connected to, unless --advertise replaces it. */
struct stub_target session_stub_target(const struct session *s)
{
	const struct rmi_front *f = s->front;
	struct stub_target to = {
		.is_tls = session_door(s)->options.to_client != NULL,
	};
	struct sockaddr_storage local = { 0 };
	socklen_t len = sizeof(local);
	struct text host = { 0 };

	getsockname(bufferevent_getfd(s->base.stream),
		    (struct sockaddr *)&local, &len);
	if (f->advertise_host)
		text_puts(&host, f->advertise_host);
	else
		socket_add_host(&host, &local);
	memcpy(to.host, host.bytes,
	       host.len < JRMP_HOST_MAX ? host.len : JRMP_HOST_MAX);
	to.port = f->advertise_port ? f->advertise_port : socket_port(&local);
	text_release(&host);
	return to;
}

/* Sends the return to the client, with the stub rewritten. */
static void reply_finish(struct session *s, const struct stub *stub)
{
	struct reply *r = s->reply;
	struct stub_target to = session_stub_target(s);
	struct text out = { 0 };

	if (stub)
		returns_rewrite(&out, r->bytes.bytes, r->bytes.len, stub, &to);
	else
		text_add(&out, r->bytes.bytes, r->bytes.len);
	session_write(s, &out);
	text_release(&out);
	session_reply_release(s);
	session_expect(s, WAIT_NOTHING);
}

static void reply_learn_server(struct session *s, bool at_registry)
{
	struct reply *r = s->reply;

	if (r->is_other)
		upstream_learn_other(&s->front->jvm, &r->stub, at_registry);
	else
		upstream_learn_server(&s->front->jvm, &r->stub, at_registry);
	reply_finish(s, &r->stub);
}

/*
 * Handles a stub with another port than the registry's.  Behind a port-forward,
 * the object may be at the registry's port anyway.  So the session probes it
 * there with getVersion(), which requires no password.
 */
static void reply_probe(struct session *s)
{
	struct text call = { 0 };

	jmx_add_call(&call, &s->reply->stub.id, JMX_GET_VERSION);
	backend_send(s->current, &call);
	session_expect(s, WAIT_PROBE);
}

static void reply_handle_server(struct session *s)
{
	const struct stub *stub = &s->reply->stub;
	struct endpoint registry = s->front->jvm.registry;

	/*
	 * A client that sends calls before their returns have ended may have
	 * chosen these bytes, the rest of an earlier return.  They must not
	 * lead other clients to another port.
	 */
	if (s->current->is_unparsed && s->front->jvm.has_server)
		reply_finish(s, stub);
	else if (stub->port == registry.port)
		reply_learn_server(s, true);
	else if (stub->factory.len &&
		 s->current->endpoint.tls == ENDPOINT_PLAIN)
		reply_learn_server(s, false);
	else
		reply_probe(s);
}

static void reply_handle(struct session *s)
{
	struct reply *r = s->reply;
	struct error err;

	if (r->used < r->bytes.len) {
		session_end(s, NO_CALL);
	} else if (r->message.is_exception || !r->method->gives_stub) {
		reply_finish(s, NULL);
	} else if (stub_of(r->message.value, &r->stub, &err)) {
		session_reply_release(s);
		session_expect(s, WAIT_NOTHING);
		session_refuse(s, &java_shape_security_exception, err.text);
	} else if (r->method->is_login) {
		upstream_learn_session(&s->front->jvm, &r->stub);
		reply_finish(s, &r->stub);
	} else {
		reply_handle_server(s);
	}
}

/* Moves all bytes that have arrived; false beyond REPLY_BYTES_MAX. */
static bool reply_read_bytes(struct backend *b, struct text *to)
{
	struct evbuffer *in = backend_input(b);

	do {
		size_t len = evbuffer_get_length(in);

		text_add(to, evbuffer_pullup(in, -1), len);
		evbuffer_drain(in, len);
	} while (to->len <= REPLY_BYTES_MAX && socket_pull(b->buffer));
	return to->len <= REPLY_BYTES_MAX;
}

static void reply_read_whole(struct session *s, struct backend *b)
{
	struct reply *r = s->reply;
	enum java_status status;
	size_t used;

	if (!reply_read_bytes(b, &r->bytes)) {
		session_end(s, "the JVM's return is larger than 1 MiB");
		return;
	}
	status = jrmp_return_read(&r->message, r->bytes.bytes + r->used,
				  r->bytes.len - r->used, &used);
	r->used += used;
	if (status == JAVA_DONE)
		reply_handle(s);
	else if (status != JAVA_MORE)
		session_end(s,
			    "the JVM sent something that is not an RMI return");
}

static void reply_read_probe(struct session *s, struct backend *b)
{
	struct reply *r = s->reply;
	enum java_status status;
	size_t used;

	if (!reply_read_bytes(b, &r->probe_bytes)) {
		session_end(s, "the JVM's return is larger than 1 MiB");
		return;
	}
	status = jrmp_return_read(&r->probe,
				  r->probe_bytes.bytes + r->probe_used,
				  r->probe_bytes.len - r->probe_used, &used);
	r->probe_used += used;
	if (status == JAVA_DONE && r->probe_used < r->probe_bytes.len)
		session_end(s, NO_CALL);
	else if (status == JAVA_DONE)
		reply_learn_server(
			s,
			!java_is_caused_by(r->probe.value,
					   "java.rmi.NoSuchObjectException"));
	else if (status != JAVA_MORE)
		session_end(s,
			    "the JVM sent something that is not an RMI return");
}

/* Forwards bytes without parsing them. */
static void session_forward_bytes(struct session *s, struct backend *b)
{
	struct evbuffer *out = bufferevent_get_output(s->base.stream);
	uint8_t head[8] = { 0 };
	size_t before = evbuffer_get_length(out);
	ssize_t len = evbuffer_copyout(backend_input(b), head, sizeof(head));

	if (s->wait == WAIT_RETURN) {
		if (head[0] != JRMP_RETURN && head[0] != JRMP_PING_ACK) {
			session_end(s, "the JVM sent something that is not an "
				       "RMI return");
			return;
		}
		session_expect(s, WAIT_NOTHING);
		session_touch(s);
		b->is_unparsed |= head[0] == JRMP_RETURN;
	}
	socket_fill(b->buffer, out, BACKEND_WAITING_MAX);
	rmi_call_log_return(&s->log, head, (size_t)len);
	call_log_add(&s->log, evbuffer_get_length(out) - before - (size_t)len);
	if (evbuffer_get_length(out) >= BACKEND_WAITING_MAX)
		backend_pause(b, true);
}

static void session_on_arrived(void *self, struct backend *b)
{
	struct session *s = self;

	if (s->state >= SESSION_ENDING ||
	    !evbuffer_get_length(backend_input(b)))
		return;
	if (b != s->current) {
		session_end(s, NO_CALL);
		return;
	}
	session_touch(s);
	s->moved_ns = clock_monotonic_ns();
	if (s->wait == WAIT_WHOLE)
		reply_read_whole(s, b);
	else if (s->wait == WAIT_PROBE)
		reply_read_probe(s, b);
	else
		session_forward_bytes(s, b);
	if (s->wait == WAIT_NOTHING)
		session_continue(s);
}

static void session_on_drained(void *self, struct backend *b)
{
	struct session *s = self;

	if (b == s->current)
		session_continue(s);
}

/*
 * Handles a connection that failed before the JVM received the call.  The
 * client gets an exception and may call another port.  If the client has sent
 * several calls, the session ends, because the client waits for all returns.
 */
static void session_continue_unconnected(struct session *s,
					 const struct error *err)
{
	if (s->wait != WAIT_NOTHING)
		session_refuse(s, &java_shape_connect_exception, err->text);
	session_reply_release(s);
	session_expect(s, WAIT_NOTHING);
	if (s->is_piped || s->client_ended)
		session_finish(s);
	else
		session_continue(s);
}

static void session_give_up(struct session *s, bool was_ready,
			    const struct error *err)
{
	if (err)
		door_report_limited(session_door(s), s->front->jvm.title, "%s",
				    err->text);
	if (s->state >= SESSION_ENDING)
		return;
	if (err && !was_ready)
		session_continue_unconnected(s, err);
	else
		session_finish(s);
}

/* Explains a common mistake: JMX has two ports, and only one is forwarded. */
static void session_explain_port(struct error *err, const struct backend *b)
{
	const struct upstream *jvm = b->jvm;
	struct text whole = { 0 };

	if (b->endpoint.port == jvm->registry.port ||
	    jvm->dialer->ops->goes_anywhere || err->kind == ERROR_FAILED)
		return;
	text_printf(&whole,
		    "%s; this is the JVM's second port, which must be "
		    "reachable, too; --proxy-command and --kubectl reach all "
		    "ports",
		    err->text);
	fail(err, err->kind, "%s", whole.bytes);
	text_release(&whole);
}

static void session_on_ended(void *self, struct backend *b,
			     const struct error *err, bool is_cut)
{
	struct session *s = self;
	bool was_ready = b->state == BACKEND_READY;
	bool was_current = b == s->current;
	struct error kept = { 0 };

	(void)is_cut;
	if (err)
		kept = *err;
	if (err && !was_ready)
		session_explain_port(&kept, b);
	/* The next message gets a new connection. */
	for (size_t i = 0; i < SESSION_BACKENDS_MAX; i++)
		if (s->backends[i] == b)
			s->backends[i] = NULL;
	if (was_ready && was_current)
		session_on_arrived(s, b);
	was_current = b == s->current;
	if (was_current)
		s->current = NULL;
	backend_free(b);
	if (was_current)
		session_give_up(s, was_ready, err ? &kept : NULL);
}

const struct backend_events session_backend_events = {
	.arrived = session_on_arrived,
	.drained = session_on_drained,
	.ended = session_on_ended,
};
