/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/rmi_session.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/java/java_objects.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/net/rmi_tls.h"
#include "jmx_http/rmi/methods.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

/* What a session may still take when the program wants to end. */
#define CLOSE_NS (2 * CLOCK_NS_PER_S)

static int64_t deadline(const struct rmi_session *s)
{
	return clock_after(clock_monotonic_ns(), s->timeout_ns);
}

static char *copied(const char *text) { return text ? xstrdup(text) : NULL; }

static bool has_tls_options(const struct tls_options *o)
{
	return o->cacert || o->cert || o->key || o->insecure;
}

int rmi_session_init(struct rmi_session *s,
		     const struct rmi_client_options *options,
		     struct error *err)
{
	*s = (struct rmi_session){
		.timeout_ns = options->timeout_ns ? options->timeout_ns
						  : RMI_TIMEOUT_NS,
		.dialer = options->dialer ? options->dialer : &tcp_dialer,
		.warn_clear = options->warn_clear,
		.force_host = options->force_host,
		.force_port = options->force_port,
		.user = copied(options->credentials.user),
		.password = copied(options->credentials.password),
		.tls = { .insecure = options->tls.insecure,
			 .cacert = copied(options->tls.cacert),
			 .cert = copied(options->tls.cert),
			 .key = copied(options->tls.key) },
	};
	text_puts(&s->version, "");
	text_puts(&s->title, options->title ? options->title : options->target);
	if (rmi_target_parse(&s->target, options->target, err))
		return -1;
	/* What cannot be read is said before anything is connected to. */
	if (has_tls_options(&s->tls)) {
		s->context = tls_client_context(&s->tls, err);
		if (!s->context)
			return -1;
	}
	return 0;
}

int rmi_session_thrown(const struct java_value *throwable, struct error *err)
{
	struct text told = { 0 };
	enum error_kind kind = ERROR_REFUSED;

	if (java_is_caused_by(throwable, "java.lang.SecurityException"))
		kind = ERROR_PERMISSION;
	text_puts(&told, "");
	java_add_throwable(&told, throwable);
	fail(err, kind, "%s", told.bytes);
	text_release(&told);
	return -1;
}

static int dial_tls(struct rmi_session *s, struct rmi_endpoint *e,
		    struct rmi_connection *c, struct error *err)
{
	enum rmi_answer answer;
	struct rmi_transport *t;

	if (!s->context)
		s->context = tls_client_context(&s->tls, err);
	if (!s->context)
		return -1;
	t = rmi_transport_dial(s->dialer, &e->address, deadline(s), err);
	if (t)
		t = rmi_tls_connect(t, s->context, e->address.host, deadline(s),
				    NULL, err);
	if (!t)
		return -1;
	rmi_connection_init(c, t);
	return rmi_connection_greet(c, deadline(s), &answer, err);
}

/* A plain hello; *is_tls when what answers is to be spoken to otherwise. */
static int dial_plain(struct rmi_session *s, struct rmi_endpoint *e,
		      struct rmi_connection *c, struct error *err)
{
	struct rmi_transport *t = rmi_transport_dial(s->dialer, &e->address,
						     deadline(s), err);
	enum rmi_answer answer;

	if (!t)
		return -1;
	rmi_connection_init(c, t);
	if (!rmi_connection_greet(c, deadline(s), &answer, err))
		return 0;
	/* Some close without an alert. */
	e->is_tls = answer == RMI_TLS ||
		    (answer == RMI_CLOSED && has_tls_options(&s->tls));
	return -1;
}

/* *c is to be closed in any case. */
static int dial(struct rmi_session *s, struct rmi_endpoint *e,
		struct rmi_connection *c, struct error *err)
{
	bool was_tls = e->is_tls;

	if (!was_tls && !dial_plain(s, e, c, err))
		return 0;
	if (!e->is_tls)
		return -1;
	rmi_connection_close(c);
	return dial_tls(s, e, c, err);
}

static int call(struct rmi_session *s, struct rmi_connection *c,
		const struct text *message, struct jrmp_return *r,
		struct error *err)
{
	if (rmi_connection_call(c, message, r, deadline(s), err))
		return -1;
	return r->is_exception ? rmi_session_thrown(r->value, err) : 0;
}

static int look_up(struct rmi_session *s, struct rmi_endpoint *registry,
		   struct rmi_connection *c, struct jrmp_return *r,
		   struct error *err)
{
	struct text message = { 0 };
	int status = dial(s, registry, c, err);

	if (status == 0) {
		jmx_add_call(&message, &jrmp_registry, JMX_LOOKUP);
		java_write_string(&message, s->target.entry.bytes,
				  s->target.entry.len);
		status = call(s, c, &message, r, err);
		if (status)
			fail_in(err, "the RMI registry");
	}
	text_release(&message);
	return status;
}

/* The stub that is in the URL; *stream holds what it points into. */
static int read_stub(struct rmi_session *s, struct java_stream *stream,
		     struct stub *stub, struct error *err)
{
	const struct java_value *v = NULL;
	size_t used;

	if (java_stream_read(stream, s->target.stub.bytes, s->target.stub.len,
			     &used, &v) != JAVA_DONE)
		return fail(err, ERROR_MISUSE,
			    "the stub in the URL is none: %s",
			    stream->wrong ? stream->wrong : "it is cut");
	return stub_of(v, stub, err);
}

static struct rmi_endpoint endpoint_of(const struct rmi_session *s,
				       const struct stub *stub)
{
	struct rmi_endpoint e = { .is_tls = stub->factory.len };
	const struct rmi_address *own = &s->target.address;
	bool has_own = own->port != 0;

	/*
	 * A stub without a host overrides nothing.  A Java client connects to
	 * its own machine, where a password would go to whoever listens.
	 */
	memcpy(e.address.host,
	       has_own && (s->force_host || stub->names_no_host) ? own->host
								 : stub->host,
	       sizeof(e.address.host));
	e.address.port = has_own && s->force_port ? own->port : stub->port;
	return e;
}

/* True when a connection to one is one to the other. */
static bool is_there(const struct rmi_connection *c,
		     const struct rmi_endpoint *its,
		     const struct rmi_endpoint *wanted)
{
	struct text peer = { 0 }, address = { 0 };
	bool same;

	if (!c->transport || its->is_tls != wanted->is_tls)
		return false;
	text_printf(&address, "%s:%d", wanted->address.host,
		    wanted->address.port);
	if (c->transport->peer.ss_family)
		rmi_address_add(&peer, &c->transport->peer);
	same = (strcmp(its->address.host, wanted->address.host) == 0 &&
		its->address.port == wanted->address.port) ||
	       (peer.len && strcmp(peer.bytes, address.bytes) == 0);
	text_release(&peer);
	text_release(&address);
	return same;
}

/* Of a stub that sends us where nobody is. */
static int is_elsewhere(const struct rmi_session *s,
			const struct rmi_endpoint *e, struct error *err)
{
	const struct rmi_address *own = &s->target.address;

	/* The target is there, though what it names is not. */
	if (err->kind == ERROR_NO_TARGET && own->port)
		err->kind = ERROR_REFUSED;
	if (own->port && (strcmp(own->host, e->address.host) != 0 ||
			  own->port != e->address.port))
		return fail_in(err,
			       "the JVM sends clients to %s, port %d "
			       "(mxping says more; --force-hostname or "
			       "--force-address may help)",
			       e->address.host, e->address.port);
	return fail_in(err, "%s, port %d", e->address.host, e->address.port);
}

/* *c, which leads to *its, becomes one to e. */
static int move_to(struct rmi_session *s, struct rmi_connection *c,
		   struct rmi_endpoint *its, const struct rmi_endpoint *e,
		   struct error *err)
{
	if (is_there(c, its, e))
		return 0;
	rmi_connection_close(c);
	*its = *e;
	if (dial(s, its, c, err))
		return is_elsewhere(s, its, err);
	return 0;
}

static bool is_on_this_machine(const struct rmi_connection *c)
{
	const struct sockaddr_storage *peer = &c->transport->peer;
	const struct sockaddr_in *four = (const struct sockaddr_in *)peer;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)peer;

	if (peer->ss_family == AF_INET)
		return ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return peer->ss_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

/* A name and a password are to be seen by nobody who was not meant to. */
static int check_secrecy(struct rmi_session *s, const struct rmi_connection *c,
			 const struct rmi_endpoint *e, struct error *err)
{
	if (!s->user || e->is_tls)
		return 0;
	if (!s->tls.cacert && !s->tls.cert) {
		if (s->warn_clear && !is_on_this_machine(c))
			s->warn_clear(&e->address);
		s->warn_clear = NULL;
		return 0;
	}
	return fail(err, ERROR_REFUSED,
		    "a certificate was given, so TLS is meant, but %s, port %d "
		    "does not speak it: no password is sent",
		    e->address.host, e->address.port);
}

/* The version and a session, asked for in one go. */
static void add_login(const struct rmi_session *s, const struct stub *server,
		      struct text *message)
{
	const char *both[] = { s->user, s->password };
	char room[512] = { 0 };
	size_t len = s->user ? strlen(s->user) + strlen(s->password) : 0;

	/* Room first: what is moved would leave a copy behind. */
	for (size_t i = 0; i < len * 3 + sizeof(room); i += sizeof(room))
		text_add(message, room, sizeof(room));
	text_clear(message);
	jmx_add_call(message, &server->id, JMX_GET_VERSION);
	jmx_add_call(message, &server->id, JMX_NEW_CLIENT);
	if (s->user)
		java_write_strings(message, both, 2, JAVA_OF_RMI);
	else
		java_write_null(message);
}

/* "1.0 java_runtime_17.0.15+6-…": the agent's, and the JVM's. */
static void take_version(struct rmi_session *s, const struct jrmp_return *r)
{
	static const char mark[] = "java_runtime_";
	struct java_bytes all = java_string_of(r->value);
	const char *at = memmem(all.at, all.len, mark, strlen(mark));

	text_clear(&s->version);
	if (r->is_exception || !at)
		return;
	at += strlen(mark);
	text_add(&s->version, at, (size_t)(all.at + all.len - at));
}

static int log_in(struct rmi_session *s, struct rmi_connection *c,
		  const struct stub *server, struct jrmp_return *opened,
		  struct error *err)
{
	struct jrmp_return version = { 0 };
	struct text message = { 0 };
	int status;

	add_login(s, server, &message);
	status = rmi_connection_send(c, &message, deadline(s), err);
	explicit_bzero(message.bytes, message.cap);
	text_release(&message);
	if (!status)
		status = rmi_connection_receive(c, &version, deadline(s), err);
	if (!status) {
		take_version(s, &version);
		status = rmi_connection_receive(c, opened, deadline(s), err);
	}
	if (!status && opened->is_exception) {
		status = rmi_session_thrown(opened->value, err);
		if (!s->user && err->kind == ERROR_PERMISSION)
			fail_in(err, "it wants a user (--user) and a password");
		fail_in(err, "login");
	}
	jrmp_return_release(&version);
	return status;
}

static int take_session(struct rmi_session *s, struct rmi_connection *c,
			struct rmi_endpoint *its,
			const struct jrmp_return *opened, struct error *err)
{
	struct rmi_endpoint e;
	struct stub session;

	if (stub_of(opened->value, &session, err))
		return -1;
	e = endpoint_of(s, &session);
	/* A factory that is no TLS was found out to be none before. */
	if (e.address.port == its->address.port &&
	    strcmp(e.address.host, its->address.host) == 0)
		e.is_tls = its->is_tls;
	if (move_to(s, c, its, &e, err))
		return -1;
	s->id = session.id;
	s->owes_ack = session.is_result;
	memcpy(s->ack_id, opened->ack_id, sizeof(s->ack_id));
	return 0;
}

/* What a login holds on its way. */
struct entry {
	struct rmi_connection c;
	struct rmi_endpoint at; /* where c leads to */
	struct jrmp_return looked_up, opened;
	struct java_stream stream;
	struct stub server;
};

static int find_server(struct rmi_session *s, struct entry *e,
		       struct error *err)
{
	if (s->target.stub.len)
		return read_stub(s, &e->stream, &e->server, err);
	e->at.address = s->target.address;
	if (look_up(s, &e->at, &e->c, &e->looked_up, err))
		return -1;
	if (stub_of(e->looked_up.value, &e->server, err))
		return fail_in(err, "the RMI registry's entry %s",
			       s->target.entry.bytes);
	/* It need not keep the server for our sake. */
	if (e->server.is_result)
		return rmi_connection_acknowledge(&e->c, &e->looked_up,
						  deadline(s), err);
	return 0;
}

static int enter(struct rmi_session *s, struct entry *e, struct error *err)
{
	struct rmi_endpoint server;

	if (find_server(s, e, err))
		return -1;
	server = endpoint_of(s, &e->server);
	if (move_to(s, &e->c, &e->at, &server, err) ||
	    check_secrecy(s, &e->c, &e->at, err) ||
	    log_in(s, &e->c, &e->server, &e->opened, err))
		return -1;
	return take_session(s, &e->c, &e->at, &e->opened, err);
}

int rmi_session_login(struct rmi_session *s, struct error *err)
{
	struct entry e = { 0 };
	int status;

	rmi_session_drop(s);
	status = enter(s, &e, err);
	if (status == 0) {
		s->connection = e.c;
		s->at = e.at;
		s->logins++;
		s->used_ns = clock_monotonic_ns();
	} else {
		rmi_connection_close(&e.c);
		fail_in(err, "%s", s->title.bytes);
	}
	jrmp_return_release(&e.looked_up);
	jrmp_return_release(&e.opened);
	java_stream_release(&e.stream);
	return status;
}

int rmi_session_dial(struct rmi_session *s, struct rmi_connection *c,
		     struct error *err)
{
	*c = (struct rmi_connection){ 0 };
	if (dial(s, &s->at, c, err) == 0)
		return 0;
	rmi_connection_close(c);
	return fail_in(err, "%s", s->title.bytes);
}

int rmi_session_connect(struct rmi_session *s, struct error *err)
{
	struct error unused;

	if (s->connection.transport)
		return 0;
	/* Restarted, it may be at another port. */
	if (s->logins && !rmi_session_dial(s, &s->connection, &unused))
		return 0;
	return rmi_session_login(s, err);
}

void rmi_session_drop(struct rmi_session *s)
{
	rmi_connection_close(&s->connection);
}

void rmi_session_acknowledge(struct rmi_session *s, struct text *out)
{
	if (!s->owes_ack)
		return;
	jrmp_add_ack(out, s->ack_id);
	s->owes_ack = false;
}

/* The JVM would keep it for two minutes, and its object for five. */
static void close_session(struct rmi_session *s)
{
	struct jrmp_return r = { .is_void = true };
	struct text message = { 0 };
	struct error unused;
	int64_t by_ns = clock_after(clock_monotonic_ns(),
				    s->timeout_ns < CLOSE_NS ? s->timeout_ns
							     : CLOSE_NS);

	rmi_session_acknowledge(s, &message);
	jmx_add_call(&message, &s->id, JMX_CLOSE);
	rmi_connection_call(&s->connection, &message, &r, by_ns, &unused);
	text_release(&message);
	jrmp_return_release(&r);
}

static void free_secret(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

void rmi_session_release(struct rmi_session *s)
{
	if (s->logins && s->connection.transport)
		close_session(s);
	rmi_session_drop(s);
	free_secret(s->user);
	free_secret(s->password);
	free((char *)s->tls.cacert);
	free((char *)s->tls.cert);
	free((char *)s->tls.key);
	SSL_CTX_free(s->context);
	rmi_target_release(&s->target);
	text_release(&s->version);
	text_release(&s->title);
	*s = (struct rmi_session){ 0 };
}
