/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/rmi_notifications.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/java/java_to_value.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/rmi/methods.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_MAX 1000 /* notifications in one answer */

/*
 * Limits of one reply, which may repeat a large object.  A thousand ordinary
 * notifications need a hundredth of both.
 */
#define BYTES_MAX ((size_t)64 << 20)
#define SPENT_MAX (2 * CLOCK_NS_PER_S)

/* The longest wait of one call, so that a dead connection is noticed. */
#define WAIT_NS (30 * CLOCK_NS_PER_S)

static int64_t after(int64_t ns)
{
	return clock_after(clock_monotonic_ns(), ns);
}

/* A javax.management.remote.NotificationResult. */
struct batch {
	int64_t earliest, next;
	const struct java_value *list;
};

static int take_batch(const struct java_value *v, struct batch *b,
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

static void add_fetch(struct text *out, const struct rmi_session *s,
		      int64_t from, int32_t most, int64_t wait_ms)
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
static int fetch(struct rmi_session *s, struct rmi_connection *c, int64_t from,
		 int32_t most, int64_t wait_ns, struct jrmp_return *r,
		 struct error *err)
{
	struct text message = { 0 };
	int status;

	add_fetch(&message, s, from, most, wait_ns / CLOCK_NS_PER_MS);
	status = rmi_connection_call(
		c, &message, r, after(wait_ns + s->access.timeout_ns), err);
	text_release(&message);
	return status;
}

/* Reads the current number before the first listener, to miss nothing. */
static int find_next(struct rmi_notifications *n, struct rmi_session *s,
		     struct error *err)
{
	struct jrmp_return r = { 0 };
	struct batch b = { 0 };
	int status = fetch(s, &s->connection, -1, 0, 0, &r, err);

	if (status == 0)
		status = r.is_exception ? rmi_thrown(r.value, err)
					: take_batch(r.value, &b, err);
	if (status == 0)
		n->next = b.next;
	jrmp_return_release(&r);
	return status;
}

static void add_listen(struct text *out, const struct rmi_session *s,
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
static int take_id(const struct java_value *v, int64_t *id, struct error *err)
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

static int listen_to(struct rmi_session *s, struct rmi_listener *l,
		     struct error *err)
{
	struct jrmp_return r = { 0 };
	struct text message = { 0 };
	int status;

	add_listen(&message, s, l->object);
	status = rmi_connection_call(&s->connection, &message, &r,
				     after(s->access.timeout_ns), err);
	if (status == 0 && r.is_exception) {
		struct text told = { 0 };

		java_add_throwable(&told, r.value);
		status = fail(err, jmx_failure_kind(told.bytes), "%s",
			      told.bytes);
		text_release(&told);
	} else if (status == 0) {
		status = take_id(r.value, &l->id, err);
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
	if (find_next(n, s, err))
		return -1;
	for (size_t i = 0; i < n->count; i++)
		if (listen_to(s, &n->listeners[i], err))
			return -1;
	n->login = s->logins;
	return 0;
}

/* The connection may be dead. */
static int connect_fresh(struct rmi_session *s, struct error *err)
{
	struct error unused;

	if (s->connection.transport &&
	    rmi_connection_ping(&s->connection, after(s->access.timeout_ns),
				&unused))
		rmi_session_drop(s);
	return rmi_session_connect(s, err);
}

static int try_listen(struct rmi_notifications *n, struct rmi_session *s,
		      struct rmi_listener *l, struct error *err)
{
	if (connect_fresh(s, err) || rmi_notifications_renew(n, s, err))
		return -1;
	s->used_ns = clock_monotonic_ns();
	return listen_to(s, l, err);
}

int rmi_notifications_listen(struct rmi_notifications *n, struct rmi_session *s,
			     const char *object, struct error *err)
{
	struct rmi_listener l = { .object = xstrdup(object) };

	if (try_listen(n, s, &l, err)) {
		/* What is to be read of it would be taken for others'. */
		rmi_session_drop(s);
		free(l.object);
		return -1;
	}
	array_reserve(n->listeners, n->cap, n->count + 1);
	n->listeners[n->count++] = l;
	return 0;
}

static const char *object_of(const struct rmi_notifications *n,
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
		return NULL; /* nobody listens */
	source = java_to_value(java_field_of(notification, "source"), a);
	return source->kind == VALUE_NAME ? source->text.at
					  : n->listeners[i].object;
}

static int64_t integer_field(const struct java_value *v, const char *name)
{
	const struct java_value *field = java_field_of(v, name);

	return field && field->kind == JAVA_INTEGER ? field->integer : 0;
}

static const char *text_field(const struct java_value *v, const char *name,
			      struct arena *a)
{
	return java_to_text(java_string_of(java_field_of(v, name)), a).at;
}

/* The cost of a reply so far. */
struct spent {
	size_t bytes;
	int64_t ns;
};

static bool is_spent(const struct spent *spent)
{
	return spent->bytes > BYTES_MAX || spent->ns > SPENT_MAX;
}

static void make(struct jmx_notification *one,
		 const struct rmi_notifications *n,
		 const struct java_value *targeted, struct arena *a)
{
	const struct java_value *notification = java_field_of(targeted,
							      "notif");
	const struct java_value *data = java_field_of(notification, "userData");

	*one = (struct jmx_notification){
		.object = object_of(n, targeted, notification, a),
		.type = text_field(notification, "type", a),
		.message = text_field(notification, "message", a),
		.sequence = integer_field(notification, "sequenceNumber"),
		.time_ms = integer_field(notification, "timeStamp"),
	};
	if (data && data->kind != JAVA_NULL)
		one->user_data = java_to_value(data, a);
}

static int hand_on(const struct rmi_notifications *n,
		   const struct java_value *targeted, struct spent *spent,
		   jmx_notification_fn *fn, void *self, struct error *err)
{
	int64_t began_ns = clock_monotonic_ns();
	struct jmx_notification one;
	struct arena a = { 0 };
	int status = 0;

	make(&one, n, targeted, &a);
	spent->bytes += a.total;
	spent->ns += clock_monotonic_ns() - began_ns;
	if (one.object)
		status = fn(self, &one, err);
	arena_release(&a);
	return status;
}

static int say_lost(int64_t count, jmx_notification_fn *fn, void *self,
		    struct error *err)
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

static int hand_on_all(struct rmi_notifications *n, const struct batch *b,
		       jmx_notification_fn *fn, void *self, struct error *err)
{
	int64_t lost = b->earliest > n->next ? b->earliest - n->next : 0;
	const struct java_list *list = &b->list->array.elements;
	struct spent spent = { 0 };
	int status = 0;
	size_t i;

	n->next = b->next;
	if (lost)
		status = say_lost(lost, fn, self, err);
	/* No more were asked for. */
	for (i = 0; status == 0 && i < list->count && i < BATCH_MAX &&
		    !is_spent(&spent);
	     i++)
		status = hand_on(n, list->at[i], &spent, fn, self, err);
	if (status == 0 && i < list->count)
		status = say_lost((int64_t)(list->count - i), fn, self, err);
	return status;
}

/* A fetch that is under way. */
struct fetching {
	struct rmi_notifications *n;
	struct rmi_session *s;
	struct rmi_lease *lease;
	int64_t until_ns;
	int32_t most; /* notifications to ask for */
	unsigned losses;
	jmx_notification_fn *fn;
	void *self;
	bool has_some;
};

/* The JVM cannot send one of them: fetches one at a time and skips it. */
static int skip_aborted(struct fetching *f, struct error *err)
{
	rmi_connection_close(&f->n->connection);
	if (f->most > 1) {
		f->most = 1;
		return 0;
	}
	f->n->next++;
	f->most = BATCH_MAX;
	f->has_some = true;
	return say_lost(1, f->fn, f->self, err);
}

/* The session has ended: logs in once more. */
static int begin_again(struct fetching *f, const struct java_value *thrown,
		       struct error *err)
{
	if (++f->losses > 2)
		return rmi_thrown(thrown, err);
	return rmi_session_login(f->s, err);
}

static int take_return(struct fetching *f, const struct jrmp_return *r,
		       struct error *err)
{
	struct batch b = { 0 };

	if (r->is_aborted)
		return skip_aborted(f, err);
	if (r->is_exception && java_bytes_are(java_class_name_of(r->value),
					      "java.rmi.NoSuchObjectException"))
		return begin_again(f, r->value, err);
	if (r->is_exception)
		return rmi_thrown(r->value, err);
	if (take_batch(r->value, &b, err))
		return -1;
	f->losses = 0;
	f->most = BATCH_MAX;
	f->has_some = f->has_some || b.list->array.elements.count ||
		      b.earliest > f->n->next;
	return hand_on_all(f->n, &b, f->fn, f->self, err);
}

static int say_missed(struct fetching *f, struct error *err)
{
	if (!f->n->has_missed)
		return 0;
	f->n->has_missed = false;
	f->has_some = true;
	return say_lost(0, f->fn, f->self, err);
}

/* How long the JVM may wait: 0 when something is to be reported. */
static int64_t wait_of(const struct fetching *f)
{
	int64_t wait_ns = f->until_ns - clock_monotonic_ns();

	if (f->has_some || wait_ns < 0)
		return 0;
	if (wait_ns > f->lease->renew_ns)
		wait_ns = f->lease->renew_ns;
	return wait_ns < WAIT_NS ? wait_ns : WAIT_NS;
}

/* A client that only listens makes no call to renew its lease with. */
static void keep_lease(struct fetching *f)
{
	struct rmi_session *s = f->s;
	struct jrmp_return r = { 0 };
	struct text message = { 0 };
	struct error unused;

	if (!rmi_lease_is_due(f->lease, s->logins))
		return;
	rmi_lease_ask(f->lease, s->logins, &s->id, &message);
	rmi_session_acknowledge(s, &message);
	if (rmi_connection_call(&s->connection, &message, &r,
				after(s->access.timeout_ns), &unused))
		rmi_session_drop(s);
	else if (!r.is_exception)
		rmi_lease_take(f->lease, r.value);
	text_release(&message);
	jrmp_return_release(&r);
}

static int fetch_once(struct fetching *f, struct error *err)
{
	struct rmi_connection *c = &f->n->connection;
	struct jrmp_return r = { 0 };
	int status;

	if (rmi_session_connect(f->s, err) ||
	    rmi_notifications_renew(f->n, f->s, err) || say_missed(f, err) ||
	    (!c->transport && rmi_session_dial(f->s, c, err)))
		return -1;
	keep_lease(f);
	status = fetch(f->s, c, f->n->next, f->most, wait_of(f), &r, err);
	if (status == 0) {
		f->s->used_ns = clock_monotonic_ns();
		status = take_return(f, &r, err);
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
		.until_ns = after(timeout_ns),
		.most = BATCH_MAX,
		.fn = fn,
		.self = self,
	};
	int status;

	/*
	 * What is there already is had even when there is no time to wait; and
	 * what cannot be had is left out.
	 */
	do {
		status = fetch_once(&f, err);
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
