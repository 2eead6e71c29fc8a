/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/rmi_client.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/rmi/methods.h"
#include "jmx_http/rmi/rmi_calls.h"
#include "jmx_http/rmi/rmi_notifications.h"
#include "jmx_http/value/object_name.h"

#include <stdlib.h>
#include <string.h>

/* The session */

/* How long closing a session may delay the end of the program. */
#define CLOSE_NS (2 * CLOCK_NS_PER_S)

int rmi_session_init(struct rmi_session *s, const struct jmx_target *target,
		     struct error *err)
{
	*s = (struct rmi_session){ 0 };
	text_puts(&s->version, "");
	text_puts(&s->title, target->title ? target->title : target->address);
	return rmi_access_init(&s->access, target, err);
}

/* A stub leads to an endpoint that cannot be connected to. */
static int session_explain_endpoint(const struct rmi_login *l,
				    struct error *err)
{
	const struct rmi_address *own = &l->access->target.address;
	const struct rmi_address *at = &l->at.address;

	/* The target is there; only the endpoint in its stub is not. */
	if (err->kind == ERROR_NO_TARGET && own->port)
		err->kind = ERROR_REFUSED;
	if (own->port &&
	    (strcmp(own->host, at->host) != 0 || own->port != at->port))
		return fail_in(err,
			       "the JVM sends clients to %s, port %d "
			       "(run mxping for the reason; --force-hostname "
			       "or --force-address may help)",
			       at->host, at->port);
	return fail_in(err, "%s, port %d", at->host, at->port);
}

/* Adds the step that failed. */
static int session_explain(const struct rmi_login *l, struct error *err)
{
	const struct rmi_access *a = l->access;

	switch (l->step) {
	case LOGIN_LOOKUP:
		return fail_in(err, "the RMI registry");
	case LOGIN_STUB:
		if (a->target.stub.len)
			return -1;
		return fail_in(err, "entry %s of the RMI registry",
			       a->target.entry.bytes);
	case LOGIN_SERVER:
	case LOGIN_SERVER_TLS:
	case LOGIN_SESSION:
		return session_explain_endpoint(l, err);
	case LOGIN_CLIENT:
		if (!a->user && err->kind == ERROR_PERMISSION)
			fail_in(err, "the JVM requires --user and a password");
		return fail_in(err, "login");
	default:
		return -1;
	}
}

/* "1.0 java_runtime_17.0.15+6-…": of the agent, and of the JVM. */
static void session_read_version(struct rmi_session *s,
				 const struct jrmp_return *r)
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

static void session_take_login(struct rmi_session *s, struct rmi_login *l)
{
	session_read_version(s, &l->version);
	s->connection = l->connection;
	l->connection = (struct rmi_connection){ 0 };
	s->at = l->at;
	s->id = l->session.id;
	s->owes_ack = l->session.is_result;
	memcpy(s->ack_id, l->opened.ack_id, sizeof(s->ack_id));
	s->logins++;
	s->used_ns = clock_monotonic_ns();
}

int rmi_session_login(struct rmi_session *s, struct error *err)
{
	struct rmi_login l = { .access = &s->access };
	int status;

	rmi_session_drop(s);
	status = rmi_login_run(&l, err);
	if (status == 0) {
		session_take_login(s, &l);
	} else {
		session_explain(&l, err);
		fail_in(err, "%s", s->title.bytes);
	}
	rmi_login_release(&l);
	return status;
}

int rmi_session_dial(struct rmi_session *s, struct rmi_connection *c,
		     struct error *err)
{
	if (rmi_access_dial(&s->access, &s->at, c, err) == 0)
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
static void session_close(struct rmi_session *s)
{
	struct jrmp_return r = { .is_void = true };
	struct text message = { 0 };
	struct error unused;
	int64_t by_ns = clock_after(clock_monotonic_ns(),
				    s->access.timeout_ns < CLOSE_NS
					    ? s->access.timeout_ns
					    : CLOSE_NS);

	rmi_session_acknowledge(s, &message);
	jmx_add_call(&message, &s->id, JMX_CLOSE);
	rmi_connection_call(&s->connection, &message, &r, by_ns, &unused);
	text_release(&message);
	jrmp_return_release(&r);
}

void rmi_session_release(struct rmi_session *s)
{
	if (s->logins && s->connection.transport)
		session_close(s);
	rmi_session_drop(s);
	rmi_access_release(&s->access);
	text_release(&s->version);
	text_release(&s->title);
	*s = (struct rmi_session){ 0 };
}

/* The client */

struct rmi_client {
	struct jmx base;
	struct rmi_session session;
	struct rmi_lease lease;
	struct rmi_notifications notifications;
};

static void client_publish(struct rmi_client *c)
{
	c->base.title = c->session.title.bytes;
	c->base.version = c->session.version.bytes;
}

static int client_run(struct jmx *j, const struct jmx_request *requests,
		      size_t count, jmx_reply_fn *fn, void *self,
		      struct error *err)
{
	struct rmi_client *c = (struct rmi_client *)j;
	struct error unused;
	int status;

	c->session.access.timeout_ns = j->timeout_ns;
	status = rmi_calls_run(&c->session, &c->lease, requests, count, j->keep,
			       fn, self, err);
	client_publish(c);
	/* What comes of it is of no concern here: fetching says so. */
	if (status == 0 && c->notifications.count &&
	    rmi_notifications_renew(&c->notifications, &c->session, &unused))
		rmi_session_drop(&c->session);
	return status;
}

/* Those that send none are no failure, as long as there are others. */
static int client_listen_to_all(struct rmi_client *c, const char *pattern,
				struct error *err)
{
	struct arena a = { 0 };
	const char *const *names;
	size_t count = 0, heard = 0;
	int status = jmx_query(&c->base, pattern, &a, &names, &count, err);

	for (size_t i = 0; status == 0 && i < count; i++)
		heard += !rmi_notifications_listen(&c->notifications,
						   &c->session, names[i], err);
	if (status == 0 && !count)
		status = fail(err, ERROR_NO_TARGET, "%s: no such MBean",
			      pattern);
	else if (status == 0 && !heard)
		status = -1;
	arena_release(&a);
	return status;
}

static int client_listen(struct jmx *j, const char *object, struct error *err)
{
	struct rmi_client *c = (struct rmi_client *)j;
	struct object_name name;
	bool is_pattern;

	if (object_name_parse(&name, object, strlen(object), err))
		return -1;
	is_pattern = object_name_is_pattern(&name);
	object_name_release(&name);
	c->session.access.timeout_ns = j->timeout_ns;
	if (is_pattern)
		return client_listen_to_all(c, object, err);
	return rmi_notifications_listen(&c->notifications, &c->session, object,
					err);
}

static int client_fetch(struct jmx *j, int64_t timeout_ns,
			jmx_notification_fn *fn, void *self, struct error *err)
{
	struct rmi_client *c = (struct rmi_client *)j;

	c->session.access.timeout_ns = j->timeout_ns;
	return rmi_notifications_fetch(&c->notifications, &c->session,
				       &c->lease, timeout_ns, fn, self, err);
}

static void client_close(struct jmx *j)
{
	struct rmi_client *c = (struct rmi_client *)j;

	rmi_notifications_release(&c->notifications);
	rmi_session_release(&c->session);
	free(c);
}

static const struct jmx_ops client_ops = {
	.name = "rmi",
	.run = client_run,
	.listen = client_listen,
	.fetch = client_fetch,
	.close = client_close,
};

struct jmx *rmi_client_open(const struct jmx_target *target, struct error *err)
{
	struct rmi_client *c = xcalloc(1, sizeof(*c));

	c->base.ops = &client_ops;
	if (rmi_session_init(&c->session, target, err) ||
	    rmi_session_login(&c->session, err)) {
		client_close(&c->base);
		return NULL;
	}
	c->base.timeout_ns = c->session.access.timeout_ns;
	client_publish(c);
	return &c->base;
}
