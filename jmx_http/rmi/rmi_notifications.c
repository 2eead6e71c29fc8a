/* SPDX-License-Identifier: Apache-2.0 */
/* Subscribes to notifications, fetches them and passes them on. */
#include "jmx_http/rmi/rmi_notifications.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/java/java_to_value.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/rmi/methods.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define BATCH_MAX 1000 /* notifications in one reply */

/*
 * Limits of one reply, which may repeat a large object.  A thousand ordinary
 * notifications need a hundredth of both.
 */
#define BYTES_MAX ((size_t)64 << 20)
#define SPENT_MAX (2 * CLOCK_NS_PER_S)

/* The longest wait of one call, so that a dead connection is noticed. */
#define WAIT_NS  (30 * CLOCK_NS_PER_S)

#define LEASE_MS 600000 /* java.rmi.dgc.leaseValue's default */

/* Leases: encodes java.rmi.dgc.DGC.dirty() calls */

/* bytes: unique (4), time (8), count (2), in the order of an ObjID. */
static void lease_write_uid(struct text *out, const uint8_t *bytes)
{
	java_write_object(out, &java_shape_uid, JAVA_OF_RMI);
	text_add(out, bytes + 12, 2);
	text_add(out, bytes + 4, 8);
	text_add(out, bytes, 4);
}

bool rmi_lease_is_due(const struct rmi_lease *l, unsigned login)
{
	return l->login != login ||
	       clock_monotonic_ns() - l->taken_ns >= l->renew_ns;
}

void rmi_lease_request(struct rmi_lease *l, unsigned login,
		       const struct jrmp_id *session, struct text *out)
{
	/* A random VMID distinguishes all clients of the JVM. */
	if (!l->login && (getrandom(l->address, sizeof(l->address), 0) < 0 ||
			  getrandom(l->uid, sizeof(l->uid), 0) < 0))
		memset(l->uid, 1, sizeof(l->uid));
	l->login = login;
	l->taken_ns = clock_monotonic_ns();
	l->renew_ns = RMI_LEASE_RENEW_NS;
	jmx_add_call(out, &jrmp_dgc, JMX_DIRTY);
	java_write_array(out, "[Ljava.rmi.server.ObjID;", 1, JAVA_OF_RMI);
	java_write_object(out, &java_shape_object_id, JAVA_OF_RMI);
	text_add(out, session->bytes, 8);
	lease_write_uid(out, session->bytes + 8);
	java_write_block(out, 8);
	java_write_u64(out, ++l->sequence);
	java_write_object(out, &java_shape_lease, JAVA_OF_RMI);
	java_write_u64(out, LEASE_MS);
	java_write_object(out, &java_shape_vmid, JAVA_OF_RMI);
	java_write_array(out, "[B", sizeof(l->address), JAVA_OF_RMI);
	text_add(out, l->address, sizeof(l->address));
	lease_write_uid(out, l->uid);
}

void rmi_lease_read(struct rmi_lease *l, const struct java_value *v)
{
	const struct java_value *ms = java_field_of(v, "value");

	if (java_is(v, java_shape_lease.name) && ms &&
	    ms->kind == JAVA_INTEGER && ms->integer > 0 &&
	    ms->integer / 2 < RMI_LEASE_RENEW_NS / CLOCK_NS_PER_MS)
		l->renew_ns = ms->integer / 2 * CLOCK_NS_PER_MS;
}

/* Notifications */

static int64_t deadline_after(int64_t ns)
{
	return clock_after(clock_monotonic_ns(), ns);
}

/* A javax.management.remote.NotificationResult. */
struct batch {
	int64_t earliest, next;
	const struct java_value *list;
};

static int batch_read(const struct java_value *v, struct batch *b,
		      struct error *err)
{
	const struct java_value *earliest, *next;

	earliest = java_field_of(v, "earliestSequenceNumber");
	next = java_field_of(v, "nextSequenceNumber");
	b->list = java_field_of(v, "targetedNotifications");
	if (!earliest || earliest->kind != JAVA_INTEGER || !next ||
	    next->kind != JAVA_INTEGER || !b->list ||
	    b->list->kind != JAVA_ARRAY)
		return fail(err, ERROR_REFUSED,
			    "the JVM's reply is not a NotificationResult");
	b->earliest = earliest->integer;
	b->next = next->integer;
	if (b->earliest < 0 || b->next < 0 || b->next == INT64_MAX)
		return fail(
			err, ERROR_REFUSED,
			"the NotificationResult has invalid sequence numbers");
	return 0;
}

static void notifications_add_fetch(struct text *out,
				    const struct rmi_session *s, int64_t from,
				    int32_t most, int64_t wait_ms)
{
	const struct method *m = &jmx_methods[JMX_FETCH_NOTIFICATIONS];
	struct text primitives = { 0 };

	java_write_u64(&primitives, (uint64_t)from);
	java_write_u32(&primitives, (uint32_t)most);
	java_write_u64(&primitives, (uint64_t)wait_ms);
	jrmp_add_call_with(out, &s->id, m->operation, m->hash, primitives.bytes,
			   (uint8_t)primitives.len);
	text_release(&primitives);
}

/* A call of fetchNotifications(); its exceptions are in *r. */
static int notifications_call_fetch(struct rmi_session *s,
				    struct rmi_connection *c, int64_t from,
				    int32_t most, int64_t wait_ns,
				    struct jrmp_return *r, struct error *err)
{
	struct text message = { 0 };
	int status;

	notifications_add_fetch(&message, s, from, most,
				wait_ns / CLOCK_NS_PER_MS);
	status = rmi_connection_call(
		c, &message, r, deadline_after(wait_ns + s->access.timeout_ns),
		err);
	text_release(&message);
	return status;
}

/* Reads the current number before adding the first listener. */
static int notifications_find_next(struct rmi_notifications *n,
				   struct rmi_session *s, struct error *err)
{
	struct jrmp_return r = { 0 };
	struct batch b = { 0 };
	int status = notifications_call_fetch(s, &s->connection, -1, 0, 0, &r,
					      err);

	if (status == 0)
		status = r.is_exception ? rmi_thrown(r.value, err)
					: batch_read(r.value, &b, err);
	if (status == 0)
		n->next = b.next;
	jrmp_return_release(&r);
	return status;
}

static void notifications_add_listen(struct text *out,
				     const struct rmi_session *s,
				     const char *object)
{
	jmx_add_call(out, &s->id, JMX_ADD_LISTENERS);
	java_write_array(out, "[Ljavax.management.ObjectName;", 1, JAVA_OF_RMI);
	java_write_object_name(out, object, JAVA_OF_RMI);
	java_write_array(out, "[Ljava.rmi.MarshalledObject;", 1, JAVA_OF_RMI);
	java_write_null(out); /* no filter */
	java_write_array(out, "[Ljavax.security.auth.Subject;", 1, JAVA_OF_RMI);
	java_write_null(out);
}

/* Reads the identifier of the one listener that was added. */
static int listener_read_id(const struct java_value *v, int64_t *id,
			    struct error *err)
{
	const struct java_value *one = NULL;

	if (v && v->kind == JAVA_ARRAY && v->array.elements.count == 1)
		one = java_field_of(v->array.elements.at[0], "value");
	if (!one || one->kind != JAVA_INTEGER)
		return fail(err, ERROR_REFUSED,
			    "the JVM returned no listener identifier");
	*id = one->integer;
	return 0;
}

static int listener_subscribe(struct rmi_session *s, struct rmi_listener *l,
			      struct error *err)
{
	struct jrmp_return r = { 0 };
	struct text message = { 0 };
	int status;

	notifications_add_listen(&message, s, l->object);
	status = rmi_connection_call(&s->connection, &message, &r,
				     deadline_after(s->access.timeout_ns), err);
	if (status == 0 && r.is_exception) {
		struct text told = { 0 };

		java_add_throwable(&told, r.value);
		status = fail(err, jmx_failure_kind(told.bytes), "%s",
			      told.bytes);
		text_release(&told);
	} else if (status == 0) {
		status = listener_read_id(r.value, &l->id, err);
	}
	text_release(&message);
	jrmp_return_release(&r);
	return status ? fail_in(err, "listening to %.200s", l->object) : 0;
}

int rmi_notifications_renew(struct rmi_notifications *n, struct rmi_session *s,
			    struct error *err)
{
	if (n->login == s->logins)
		return 0;
	rmi_connection_close(&n->connection);
	n->has_missed = n->count;
	if (notifications_find_next(n, s, err))
		return -1;
	for (size_t i = 0; i < n->count; i++)
		if (listener_subscribe(s, &n->listeners[i], err))
			return -1;
	n->login = s->logins;
	return 0;
}

/* Connects, and replaces a dead connection. */
static int notifications_connect(struct rmi_session *s, struct error *err)
{
	if (s->connection.transport &&
	    rmi_connection_ping(&s->connection,
				deadline_after(s->access.timeout_ns),
				error_unused()))
		rmi_session_drop(s);
	return rmi_session_connect(s, err);
}

static int notifications_try_listen(struct rmi_notifications *n,
				    struct rmi_session *s,
				    struct rmi_listener *l, struct error *err)
{
	if (notifications_connect(s, err) || rmi_notifications_renew(n, s, err))
		return -1;
	s->used_ns = clock_monotonic_ns();
	return listener_subscribe(s, l, err);
}

int rmi_notifications_listen(struct rmi_notifications *n, struct rmi_session *s,
			     const char *object, struct error *err)
{
	struct rmi_listener l = { .object = xstrdup(object) };

	if (notifications_try_listen(n, s, &l, err)) {
		/* A late return must not be matched to another call. */
		rmi_session_drop(s);
		free(l.object);
		return -1;
	}
	array_add(n->listeners, n->count, n->cap, l);
	return 0;
}

static const char *notification_object(const struct rmi_notifications *n,
				       const struct java_value *targeted,
				       const struct java_value *notification,
				       struct arena *a)
{
	const struct java_value *id = java_field_of(
		java_field_of(targeted, "id"), "value");
	const struct value *source;
	size_t i = 0;

	while (i < n->count && id && id->kind == JAVA_INTEGER &&
	       n->listeners[i].id != id->integer)
		i++;
	if (!id || i == n->count)
		return NULL; /* no listener has the id */
	source = java_to_value(java_field_of(notification, "source"), a);
	return source->kind == VALUE_NAME ? source->text.at
					  : n->listeners[i].object;
}

static int64_t notification_integer(const struct java_value *v,
				    const char *name)
{
	const struct java_value *field = java_field_of(v, name);

	return field && field->kind == JAVA_INTEGER ? field->integer : 0;
}

static const char *notification_text(const struct java_value *v,
				     const char *name, struct arena *a)
{
	return java_to_text(java_string_of(java_field_of(v, name)), a).at;
}

/* The cost of a reply so far. */
struct spent {
	size_t bytes;
	int64_t ns;
};

static bool spent_exceeds_limit(const struct spent *spent)
{
	return spent->bytes > BYTES_MAX || spent->ns > SPENT_MAX;
}

static void notification_make(struct jmx_notification *one,
			      const struct rmi_notifications *n,
			      const struct java_value *targeted,
			      struct arena *a)
{
	const struct java_value *notification = java_field_of(targeted,
							      "notif");
	const struct java_value *data = java_field_of(notification, "userData");

	*one = (struct jmx_notification){
		.object = notification_object(n, targeted, notification, a),
		.type = notification_text(notification, "type", a),
		.message = notification_text(notification, "message", a),
		.sequence = notification_integer(notification,
						 "sequenceNumber"),
		.time_ms = notification_integer(notification, "timeStamp"),
	};
	if (data && data->kind != JAVA_NULL)
		one->user_data = java_to_value(data, a);
}

static int notification_pass(const struct rmi_notifications *n,
			     const struct java_value *targeted,
			     struct spent *spent, jmx_notification_fn *fn,
			     void *self, struct error *err)
{
	int64_t began_ns = clock_monotonic_ns();
	struct jmx_notification one;
	struct arena a = { 0 };
	int status = 0;

	notification_make(&one, n, targeted, &a);
	spent->bytes += a.total;
	spent->ns += clock_monotonic_ns() - began_ns;
	if (one.object)
		status = fn(self, &one, err);
	arena_release(&a);
	return status;
}

static int notification_pass_lost(int64_t count, jmx_notification_fn *fn,
				  void *self, struct error *err)
{
	struct jmx_notification lost = {
		.object = "",
		.type = "sjkc.lost",
		.message = "notifications were lost",
		.sequence = count,
		.time_ms = clock_wall_ns() / CLOCK_NS_PER_MS,
	};

	return fn(self, &lost, err);
}

static int batch_pass(struct rmi_notifications *n, const struct batch *b,
		      jmx_notification_fn *fn, void *self, struct error *err)
{
	int64_t lost = b->earliest > n->next ? b->earliest - n->next : 0;
	const struct java_list *list = &b->list->array.elements;
	struct spent spent = { 0 };
	int status = 0;
	size_t i;

	n->next = b->next;
	if (lost)
		status = notification_pass_lost(lost, fn, self, err);
	/* The JVM may send more than requested; ignore the rest. */
	for (i = 0; status == 0 && i < list->count && i < BATCH_MAX &&
		    !spent_exceeds_limit(&spent);
	     i++)
		status = notification_pass(n, list->at[i], &spent, fn, self,
					   err);
	if (status == 0 && i < list->count)
		status = notification_pass_lost((int64_t)(list->count - i), fn,
						self, err);
	return status;
}

/* A running rmi_notifications_fetch(). */
struct fetching {
	struct rmi_notifications *n;
	struct rmi_session *s;
	struct rmi_lease *lease;
	int64_t until_ns;
	int32_t most; /* maximum number of notifications to request */
	unsigned losses;
	jmx_notification_fn *fn;
	void *self;
	bool has_some;
};

/*
 * The JVM failed to serialize a notification: fetches one at a time, and skips
 * the faulty one.
 */
static int fetching_skip_aborted(struct fetching *f, struct error *err)
{
	rmi_connection_close(&f->n->connection);
	if (f->most > 1) {
		f->most = 1;
		return 0;
	}
	f->n->next++;
	f->most = BATCH_MAX;
	f->has_some = true;
	return notification_pass_lost(1, f->fn, f->self, err);
}

/* Logs in again after the JVM ended the session. */
static int fetching_log_in_again(struct fetching *f,
				 const struct java_value *thrown,
				 struct error *err)
{
	if (++f->losses > 2)
		return rmi_thrown(thrown, err);
	return rmi_session_login(f->s, err);
}

static int fetching_read_return(struct fetching *f, const struct jrmp_return *r,
				struct error *err)
{
	struct batch b = { 0 };

	if (r->is_aborted)
		return fetching_skip_aborted(f, err);
	if (r->is_exception && java_bytes_are(java_class_name_of(r->value),
					      "java.rmi.NoSuchObjectException"))
		return fetching_log_in_again(f, r->value, err);
	if (r->is_exception)
		return rmi_thrown(r->value, err);
	if (batch_read(r->value, &b, err))
		return -1;
	f->losses = 0;
	f->most = BATCH_MAX;
	f->has_some = f->has_some || b.list->array.elements.count ||
		      b.earliest > f->n->next;
	return batch_pass(f->n, &b, f->fn, f->self, err);
}

static int fetching_report_missed(struct fetching *f, struct error *err)
{
	if (!f->n->has_missed)
		return 0;
	f->n->has_missed = false;
	f->has_some = true;
	return notification_pass_lost(0, f->fn, f->self, err);
}

/* Time for the JVM to wait; 0 if fetching has a notification already. */
static int64_t fetching_wait(const struct fetching *f)
{
	int64_t wait_ns = f->until_ns - clock_monotonic_ns();

	if (f->has_some || wait_ns < 0)
		return 0;
	if (wait_ns > f->lease->renew_ns)
		wait_ns = f->lease->renew_ns;
	return wait_ns < WAIT_NS ? wait_ns : WAIT_NS;
}

/* Renews the lease of a client that makes no other calls. */
static void fetching_renew_lease(struct fetching *f)
{
	struct rmi_session *s = f->s;
	struct jrmp_return r = { 0 };
	struct text message = { 0 };

	if (!rmi_lease_is_due(f->lease, s->logins))
		return;
	rmi_lease_request(f->lease, s->logins, &s->id, &message);
	rmi_session_acknowledge(s, &message);
	if (rmi_connection_call(&s->connection, &message, &r,
				deadline_after(s->access.timeout_ns),
				error_unused()))
		rmi_session_drop(s);
	else if (!r.is_exception)
		rmi_lease_read(f->lease, r.value);
	text_release(&message);
	jrmp_return_release(&r);
}

static int fetching_run_once(struct fetching *f, struct error *err)
{
	struct rmi_connection *c = &f->n->connection;
	struct jrmp_return r = { 0 };
	int status;

	if (rmi_session_connect(f->s, err) ||
	    rmi_notifications_renew(f->n, f->s, err) ||
	    fetching_report_missed(f, err) ||
	    (!c->transport && rmi_session_dial(f->s, c, err)))
		return -1;
	fetching_renew_lease(f);
	status = notifications_call_fetch(f->s, c, f->n->next, f->most,
					  fetching_wait(f), &r, err);
	if (status == 0) {
		f->s->used_ns = clock_monotonic_ns();
		status = fetching_read_return(f, &r, err);
	} else if (c->is_lost && ++f->losses <= 2) {
		rmi_connection_close(c);
		rmi_session_drop(f->s);
		status = 0;
	} else {
		rmi_connection_close(c);
		fail_in(err, "%s", f->s->title.bytes);
	}
	jrmp_return_release(&r);
	return status;
}

int rmi_notifications_fetch(struct rmi_notifications *n, struct rmi_session *s,
			    struct rmi_lease *lease, int64_t timeout_ns,
			    jmx_notification_fn *fn, void *self,
			    struct error *err)
{
	struct fetching f = {
		.n = n,
		.s = s,
		.lease = lease,
		.until_ns = deadline_after(timeout_ns),
		.most = BATCH_MAX,
		.fn = fn,
		.self = self,
	};
	int status;

	/*
	 * Fetch at least once, even if timeout_ns is 0.  With most == 1, fetch
	 * again to skip a faulty notification.
	 */
	do {
		status = fetching_run_once(&f, err);
	} while (status == 0 && !f.has_some &&
		 (f.most == 1 || clock_monotonic_ns() < f.until_ns));
	return status;
}

void rmi_notifications_release(struct rmi_notifications *n)
{
	rmi_connection_close(&n->connection);
	for (size_t i = 0; i < n->count; i++)
		free(n->listeners[i].object);
	free(n->listeners);
	*n = (struct rmi_notifications){ 0 };
}
