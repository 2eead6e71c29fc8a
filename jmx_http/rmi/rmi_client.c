/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends many requests over one connection, up to 64 calls at a time: a request
 * becomes a job, a job one or more calls.  A run sends a window of calls,
 * receives their returns in order, and passes on the replies.
 *
 * If the connection is lost, the client connects again and repeats the requests
 * that only read.  A request that may change something is repeated only if the
 * JVM has certainly not started it.
 */
#include "jmx_http/rmi/rmi_client.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/java/java_from_value.h"
#include "jmx_http/java/java_shapes.h"
#include "jmx_http/java/java_to_value.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/rmi/login.h"
#include "jmx_http/rmi/methods.h"
#include "jmx_http/rmi/rmi_notifications.h"
#include "jmx_http/value/object_name.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW_CALLS 64
#define WINDOW_BYTES ((size_t)256 << 10)

/* Maximum numbers in a row, without a reply in between. */
#define LOSSES_MAX 3
#define LOGINS_MAX 2

/*
 * A connection that was unused for LOOK_NS may have been closed.  One that was
 * unused for STALE_NS may be dead although it was not closed.
 */
#define LOOK_NS  (20 * CLOCK_NS_PER_MS)
#define STALE_NS CLOCK_NS_PER_S

/* Requests: encoding as calls */

typedef int add_fn(struct text *out, const struct jmx_request *q, size_t name,
		   struct error *err);

static int request_add_query(struct text *out, const struct jmx_request *q,
			     size_t name, struct error *err)
{
	(void)name, (void)err;
	java_write_object_name(out, q->object, JAVA_OF_RMI);
	java_write_null(out); /* no QueryExp */
	return 0;
}

static int request_add_info(struct text *out, const struct jmx_request *q,
			    size_t name, struct error *err)
{
	(void)name, (void)err;
	java_write_object_name(out, q->object, JAVA_OF_RMI);
	return 0;
}

static int request_add_get(struct text *out, const struct jmx_request *q,
			   size_t name, struct error *err)
{
	(void)err;
	java_write_object_name(out, q->object, JAVA_OF_RMI);
	if (name == RMI_WHOLE)
		java_write_strings(out, q->names, q->name_count, JAVA_OF_RMI);
	else
		java_write_text(out, q->names[name]);
	return 0;
}

/*
 * Open data: the types repeat, so the stream refers back to them, which
 * requires that one java_output writes the whole stream.
 */

static bool request_has_open_data(const struct jmx_request *q)
{
	for (size_t i = 0; i < q->argument_count; i++)
		if (strstr(q->signature[i], "javax.management.openmbean."))
			return true;
	return false;
}

static int request_write_open_argument(struct java_from_value *f,
				       const struct jmx_request *q, size_t i,
				       struct error *err)
{
	const struct value *v = q->arguments[i];

	if (v->kind == VALUE_NULL)
		java_write_null(f->output->out);
	else if (!java_from_value_of_type(f, v, q->signature[i]))
		return fail(err, ERROR_MISUSE,
			    "argument %zu of %.100s is not a %.100s", i + 1,
			    q->names[0], q->signature[i]);
	return 0;
}

/* Writes the arguments as an array, or the one of a new attribute value. */
static int request_write_open_data(struct text *stream,
				   const struct jmx_request *q,
				   struct error *err)
{
	struct java_output o = { .out = stream, .dialect = JAVA_PLAIN };
	struct arena a = { 0 };
	struct java_from_value f = { .output = &o, .arena = &a };
	int status = 0;

	if (q->verb == JMX_SET) {
		java_output_object(&o, &java_shape_attribute);
		java_output_text(&o, q->names[0]);
	} else {
		java_output_array(&o, "[Ljava.lang.Object;",
				  (uint32_t)q->argument_count);
	}
	for (size_t i = 0; status == 0 && i < q->argument_count; i++)
		status = request_write_open_argument(&f, q, i, err);
	java_output_release(&o);
	arena_release(&a);
	return status;
}

/* Other values */

static int request_write_argument(struct text *out, const struct jmx_request *q,
				  size_t i, struct error *err)
{
	if (java_write_value(out, q->arguments[i], q->signature[i], err))
		return fail_in(err, "argument %zu of %.100s", i + 1,
			       q->names[0]);
	return 0;
}

static int request_add_set(struct text *out, const struct jmx_request *q,
			   size_t name, struct error *err)
{
	struct text stream = { 0 };
	int status;

	(void)name;
	java_write_header(&stream);
	if (request_has_open_data(q)) {
		status = request_write_open_data(&stream, q, err);
	} else {
		java_write_object(&stream, &java_shape_attribute, JAVA_PLAIN);
		java_write_text(&stream, q->names[0]);
		status = request_write_argument(&stream, q, 0, err);
	}
	java_write_object_name(out, q->object, JAVA_OF_RMI);
	java_write_marshalled(out, &stream);
	text_release(&stream);
	return status;
}

static int request_write_arguments(struct text *out,
				   const struct jmx_request *q,
				   struct error *err)
{
	struct text stream = { 0 };
	int status = 0;

	java_write_header(&stream);
	if (request_has_open_data(q)) {
		status = request_write_open_data(&stream, q, err);
	} else {
		java_write_array(&stream, "[Ljava.lang.Object;",
				 (uint32_t)q->argument_count, JAVA_PLAIN);
		for (size_t i = 0; status == 0 && i < q->argument_count; i++)
			status = request_write_argument(&stream, q, i, err);
	}
	java_write_marshalled(out, &stream);
	text_release(&stream);
	return status;
}

static int request_add_invoke(struct text *out, const struct jmx_request *q,
			      size_t name, struct error *err)
{
	(void)name;
	java_write_object_name(out, q->object, JAVA_OF_RMI);
	java_write_text(out, q->names[0]);
	if (!q->argument_count) {
		java_write_null(out);
		java_write_null(out);
		return 0;
	}
	if (request_write_arguments(out, q, err))
		return -1;
	java_write_strings(out, q->signature, q->argument_count, JAVA_OF_RMI);
	return 0;
}

static int request_add_nothing(struct text *out, const struct jmx_request *q,
			       size_t name, struct error *err)
{
	(void)out, (void)q, (void)name, (void)err;
	return 0;
}

/* clang-format off */
static const struct {
	enum jmx_method method;
	add_fn *add;
	bool is_read;
} request_verbs[] = {
	[JMX_QUERY] = { JMX_QUERY_NAMES, request_add_query, true },
	[JMX_INFO] = { JMX_GET_MBEAN_INFO, request_add_info, true },
	[JMX_GET] = { JMX_GET_ATTRIBUTES, request_add_get, true },
	[JMX_SET] = { JMX_SET_ATTRIBUTE, request_add_set, false },
	[JMX_INVOKE] = { JMX_INVOKE_OPERATION, request_add_invoke, false },
	[JMX_COUNT] = { JMX_GET_MBEAN_COUNT, request_add_nothing, true },
};
/* clang-format on */

int rmi_request_add(struct text *out, const struct jrmp_id *session,
		    const struct jmx_request *q, size_t name, struct error *err)
{
	/*
	 * A JVM stops reading the call at an invalid name, and closes the
	 * connection, because no message begins with the byte after the name.
	 */
	if (q->object && object_name_check(q->object, NULL, err))
		return -1;
	jmx_add_call(out, session,
		     name == RMI_WHOLE ? request_verbs[q->verb].method
				       : JMX_GET_ATTRIBUTE);
	if (request_verbs[q->verb].add(out, q, name, err))
		return -1;
	java_write_null(out); /* no delegation subject */
	return 0;
}

static bool request_is_read(const struct jmx_request *q)
{
	return request_verbs[q->verb].is_read;
}

/* Jobs: from a request to its reply */

/*
 * Most jobs are one call.  getAttributes() omits unreadable attributes without
 * a reason, so each omitted attribute is requested again by itself.
 */
struct job {
	const struct jmx_request *request;
	size_t open;            /* number of calls without a return */
	struct jmx_reply reply; /* complete once open is 0; in the arena */
	struct arena own, *arena;
	const struct value **values; /* of JMX_GET, one for each name */
};

static void job_init(struct job *j, const struct jmx_request *request,
		     struct arena *arena)
{
	*j = (struct job){ .request = request };
	j->arena = arena ? arena : &j->own;
	if (request->verb == JMX_GET && request->name_count) {
		size_t size = request->name_count * sizeof(*j->values);

		j->values = memset(arena_alloc(j->arena, size), 0, size);
	}
}

static void job_release(struct job *j)
{
	arena_release(&j->own);
	*j = (struct job){ 0 };
}

/* The name in the first call: a single attribute fails with its reason. */
static size_t job_first_name(const struct job *j)
{
	return j->request->verb == JMX_GET && j->request->name_count == 1
		       ? 0
		       : RMI_WHOLE;
}

/* The text of an exception, in the arena. */
static const char *job_describe_exception(struct job *j,
					  const struct jrmp_return *r)
{
	struct text told = { 0 };
	struct value_text copy;
	struct java_bytes class = java_string_of(
		java_field_of(r->value, "detailMessage"));

	text_puts(&told, "");
	if (r->is_aborted && class.len &&
	    java_is(r->value, "java.io.NotSerializableException")) {
		text_puts(&told, "not serializable: ");
		text_add(&told, class.at, class.len);
	} else {
		java_add_throwable(&told, r->value);
	}
	copy = java_to_text((struct java_bytes){ told.bytes, told.len },
			    j->arena);
	text_release(&told);
	return copy.at;
}

static void job_set_failure(struct job *j, const char *why,
			    enum error_kind kind)
{
	j->reply.failure = why;
	j->reply.kind = kind;
}

/* Records that one attribute is unavailable. */
static void job_set_error(struct job *j, size_t name, const char *why)
{
	j->values[name] = value_text(j->arena, VALUE_ERROR, "", why,
				     strlen(why));
}

static void job_read_exception(struct job *j, size_t name,
			       const struct jrmp_return *r)
{
	static const char gone[] = "javax.management.InstanceNotFoundException";
	const char *why = job_describe_exception(j, r);
	bool is_gone = java_is_caused_by(r->value, gone);

	if (j->request->verb != JMX_GET ||
	    (is_gone && name == job_first_name(j)))
		job_set_failure(j, why, jmx_failure_kind(why));
	else if (name != RMI_WHOLE)
		job_set_error(j, name, why);
	/* Else each attribute is requested by itself, and fails or not. */
}

/* An AttributeList: readable attributes only, in the order of the names. */
static void job_read_list(struct job *j, const struct java_value *v)
{
	const struct java_part *list = java_part_of(v, "java.util.ArrayList");
	size_t names = j->request->name_count, at = 0;
	size_t count = list ? list->annotations.count : 0;

	/* at[0] is block data.  Ignore more elements than names. */
	for (size_t i = 1; i < count && i <= names; i++) {
		const struct java_value *one = list->annotations.at[i];
		struct java_bytes name = java_string_of(
			java_field_of(one, "name"));
		size_t tried = 0;

		while (tried < names &&
		       (j->values[at] ||
			!java_bytes_are(name, j->request->names[at]))) {
			at = (at + 1) % names;
			tried++;
		}
		if (tried < names)
			j->values[at] = java_to_value(
				java_field_of(one, "value"), j->arena);
	}
}

static void job_read_info(struct job *j, const struct java_value *v)
{
	j->reply.info = java_to_info(v, j->arena);
	if (!j->reply.info)
		job_set_failure(j, "the reply is not an MBeanInfo",
				ERROR_REFUSED);
}

static void job_read_value(struct job *j, size_t name,
			   const struct java_value *v)
{
	switch (j->request->verb) {
	case JMX_GET:
		if (name == RMI_WHOLE)
			job_read_list(j, v);
		else
			j->values[name] = java_to_value(v, j->arena);
		break;
	case JMX_INFO:
		job_read_info(j, v);
		break;
	case JMX_SET:
		break;
	default:
		j->reply.value = java_to_value(v, j->arena);
	}
}

static void job_read_return(struct job *j, size_t name,
			    const struct jrmp_return *r)
{
	j->open--;
	if (r->is_exception)
		job_read_exception(j, name, r);
	else
		job_read_value(j, name, r->value);
}

static void job_fail(struct job *j, size_t name, const struct error *err)
{
	const char *why = arena_copy(j->arena, err->text, strlen(err->text));

	j->open--;
	/* An invalid MBean name fails the request, not one attribute. */
	if (j->values && name != RMI_WHOLE && err->kind != ERROR_MISUSE)
		job_set_error(j, name, why);
	else
		job_set_failure(j, why, err->kind);
}

static bool job_lacks(const struct job *j, size_t *at)
{
	if (j->reply.failure || !j->values)
		return false;
	while (*at < j->request->name_count && j->values[*at])
		++*at;
	return *at < j->request->name_count;
}

static void job_finish(struct job *j)
{
	const struct jmx_request *q = j->request;
	struct value_member *members;
	struct value *v;

	if (q->verb != JMX_GET || j->reply.failure)
		return;
	members = arena_alloc(j->arena, q->name_count * sizeof(*members));
	for (size_t i = 0; i < q->name_count; i++) {
		/* The reply may outlive the caller's names. */
		members[i].name = arena_copy(j->arena, q->names[i],
					     strlen(q->names[i]));
		members[i].value = j->values[i];
	}
	v = value_new(j->arena, VALUE_COMPOSITE, "");
	v->members.at = members;
	v->members.count = q->name_count;
	j->reply.value = v;
}

/* Runs: many requests at a time */

struct call {
	struct job *job; /* NULL: the request for a lease */
	size_t name;
	size_t bytes; /* size of a sent call */
};

struct run {
	struct rmi_session *s;
	struct rmi_lease *lease;
	const struct jmx_request *requests;
	size_t count;
	struct arena *arena;

	struct job jobs[WINDOW_CALLS]; /* a ring, indexed by request */
	size_t first, next;            /* [first, next) are active */
	size_t lacking; /* active jobs with omitted attributes; delays others */

	/* [head, sent) were sent, [sent, end) wait. */
	struct call *calls;
	size_t head, sent, end, cap;
	size_t bytes;            /* size of the sent calls */
	size_t window;           /* maximum number of sent calls */
	unsigned losses, logins; /* since the last reply */
};

static struct job *run_job(struct run *r, size_t index)
{
	return &r->jobs[index % WINDOW_CALLS];
}

static void run_add_call(struct run *r, struct job *job, size_t name)
{
	if (r->head == r->end)
		r->head = r->sent = r->end = 0;
	array_add(r->calls, r->end, r->cap, (struct call){ job, name, 0 });
	if (job)
		job->open++;
}

static void run_admit(struct run *r)
{
	while (!r->lacking && r->next < r->count &&
	       r->next - r->first < WINDOW_CALLS) {
		struct job *job = run_job(r, r->next);

		job_init(job, &r->requests[r->next++], r->arena);
		run_add_call(r, job, job_first_name(job));
	}
}

/* Requests each omitted attribute by itself, once. */
static void run_request_missing(struct run *r, struct job *job, size_t name)
{
	if (name != RMI_WHOLE)
		return;
	for (size_t at = 0; job_lacks(job, &at); at++)
		run_add_call(r, job, at);
	if (job->open)
		r->lacking++;
}

static void run_end_call(struct run *r, struct job *job, size_t name)
{
	if (job->open)
		return;
	/* run_request_missing() counted the job. */
	if (name != job_first_name(job) && r->lacking)
		r->lacking--;
	job_finish(job);
}

/* Fails a call that cannot be encoded, or must not be repeated. */
static void run_fail_call(struct run *r, struct call *c,
			  const struct error *err)
{
	job_fail(c->job, c->name, err);
	run_end_call(r, c->job, c->name);
}

static void run_remove_call(struct run *r, size_t at)
{
	r->end--;
	memmove(r->calls + at, r->calls + at + 1,
		(r->end - at) * sizeof(*r->calls));
}

/* Appends the first waiting call; false if it cannot be encoded. */
static bool run_add_next(struct run *r, struct text *out)
{
	struct call *c = &r->calls[r->sent];
	size_t before = out->len;
	struct error err = { 0 };

	if (!c->job) {
		rmi_lease_request(r->lease, r->s->logins, &r->s->id, out);
	} else if (rmi_request_add(out, &r->s->id, c->job->request, c->name,
				   &err)) {
		out->len = before;
		run_fail_call(r, c, &err);
		run_remove_call(r, r->sent);
		return false;
	}
	c->bytes = out->len - before;
	return true;
}

static bool run_has_room(const struct run *r, const struct text *out)
{
	size_t count = r->sent - r->head;

	return !count ||
	       (count < r->window && r->bytes + out->len < WINDOW_BYTES);
}

static int64_t run_deadline(const struct run *r)
{
	return clock_after(clock_monotonic_ns(), r->s->access.timeout_ns);
}

/* Sends half a window at a time, to save system calls. */
static int run_send(struct run *r, struct error *err)
{
	struct text out = { 0 };
	int status = 0;

	if (r->sent - r->head > r->window / 2)
		return 0;
	while (r->sent < r->end && run_has_room(r, &out))
		if (run_add_next(r, &out)) {
			if (!r->calls[r->sent].job)
				rmi_session_acknowledge(r->s, &out);
			r->bytes += r->calls[r->sent++].bytes;
		}
	if (out.len)
		status = rmi_connection_send(&r->s->connection, &out,
					     run_deadline(r), err);
	text_release(&out);
	return status;
}

/* Makes all sent calls waiting calls again. */
static void run_requeue_calls(struct run *r)
{
	r->sent = r->head;
	r->bytes = 0;
}

/*
 * Fails changing calls, which the JVM may have executed.  Also drops the
 * request for a lease, which most JVMs do not need.
 */
static void run_fail_changes(struct run *r, const struct error *why)
{
	struct error err = *why;

	fail_in(&err, "the reply was lost; the JVM may have executed the call");
	for (size_t i = r->head; i < r->sent;) {
		struct call *c = &r->calls[i];

		if (c->job && request_is_read(c->job->request)) {
			i++;
			continue;
		}
		if (c->job)
			run_fail_call(r, c, &err);
		run_remove_call(r, i);
		r->sent--;
	}
}

/* Handles a lost connection; -1 if the run must end. */
static int run_recover(struct run *r, struct error *err)
{
	bool is_lost = r->s->connection.is_lost;

	rmi_session_drop(r->s);
	run_fail_changes(r, err);
	run_requeue_calls(r);
	r->window = 1;
	if (is_lost && ++r->losses < LOSSES_MAX)
		return 0;
	return fail_in(err, "%s", r->s->title.bytes);
}

/*
 * True if the JVM has ended the session: sun.rmi.transport,
 * com.sun.jmx.remote.internal.ServerCommunicatorAdmin.
 */
static bool return_has_no_session(const struct jrmp_return *ret)
{
	static const char closing[] = "The server has decided to close";
	struct java_bytes class = java_class_name_of(ret->value);
	struct java_bytes message = java_string_of(
		java_field_of(ret->value, "detailMessage"));

	if (!ret->is_exception || ret->is_aborted)
		return false;
	return java_bytes_are(class, "java.rmi.NoSuchObjectException") ||
	       (java_bytes_are(class, "java.io.IOException") &&
		message.len >= strlen(closing) &&
		memcmp(message.at, closing, strlen(closing)) == 0);
}

/* The JVM has ended the session, and executed none of the sent calls. */
static int run_log_in_again(struct run *r, const struct jrmp_return *ret,
			    struct error *err)
{
	if (++r->logins >= LOGINS_MAX) {
		rmi_session_drop(r->s);
		rmi_thrown(ret->value, err);
		return fail_in(err, "%s", r->s->title.bytes);
	}
	run_requeue_calls(r);
	return rmi_session_login(r->s, err);
}

static void run_handle_return(struct run *r, const struct jrmp_return *ret)
{
	struct call c = r->calls[r->head++];

	r->bytes -= c.bytes;
	if (r->window < WINDOW_CALLS)
		r->window *= 2;
	r->losses = 0;
	if (c.job) {
		r->logins = 0;
		job_read_return(c.job, c.name, ret);
		run_request_missing(r, c.job, c.name);
		run_end_call(r, c.job, c.name);
	} else if (!ret->is_exception) {
		rmi_lease_read(r->lease, ret->value);
	}
	/* The server closes the connection after an aborted return. */
	if (ret->is_aborted) {
		rmi_session_drop(r->s);
		run_requeue_calls(r);
		r->window = 1;
	}
}

static int run_receive(struct run *r, struct error *err)
{
	const struct call *c = &r->calls[r->head];
	struct jrmp_return ret = {
		.is_void = c->job &&
			   method_is_void(
				   request_verbs[c->job->request->verb].method),
	};
	int status = rmi_connection_receive(&r->s->connection, &ret,
					    run_deadline(r), err);

	if (status)
		status = run_recover(r, err);
	else if (c->job && return_has_no_session(&ret))
		status = run_log_in_again(r, &ret, err);
	else
		run_handle_return(r, &ret);
	jrmp_return_release(&ret);
	return status;
}

static int run_pass_replies(struct run *r, jmx_reply_fn *fn, void *self,
			    struct error *err)
{
	int status = 0;

	while (status == 0 && r->first < r->next &&
	       !run_job(r, r->first)->open) {
		struct job *job = run_job(r, r->first);

		status = fn(self, r->first, &job->reply, err);
		job_release(job);
		r->first++;
	}
	return status;
}

static bool run_is_stale(struct run *r)
{
	struct rmi_connection *c = &r->s->connection;
	int64_t unused_ns = clock_monotonic_ns() - r->s->used_ns;
	struct error err;

	if (!c->transport || unused_ns < LOOK_NS)
		return false;
	if (unused_ns < STALE_NS)
		return rmi_connection_look(c, &err);
	return rmi_connection_ping(c, run_deadline(r), &err);
}

/* Drops a stale connection before a call that can be sent only once. */
static void run_check_connection(struct run *r)
{
	bool changes = false;

	for (size_t i = 0; i < r->count && !changes; i++)
		changes = !request_is_read(&r->requests[i]);
	if (changes && run_is_stale(r))
		rmi_session_drop(r->s);
}

/* Puts the request for a lease before the waiting calls. */
static void run_add_lease(struct run *r)
{
	if (!rmi_lease_is_due(r->lease, r->s->logins) ||
	    (r->sent < r->end && !r->calls[r->sent].job))
		return;
	run_add_call(r, NULL, RMI_WHOLE);
	memmove(r->calls + r->sent + 1, r->calls + r->sent,
		(r->end - r->sent - 1) * sizeof(*r->calls));
	r->calls[r->sent] = (struct call){ NULL, RMI_WHOLE, 0 };
}

static int run_work(struct run *r, struct error *err)
{
	if (rmi_session_connect(r->s, err))
		return -1;
	run_add_lease(r);
	if (run_send(r, err))
		return run_recover(r, err);
	/* All waiting calls failed to encode. */
	if (r->head == r->sent)
		return 0;
	return run_receive(r, err);
}

/* As jmx_run(); replies are allocated in the arena, unless it is NULL. */
static int rmi_calls_run(struct rmi_session *s, struct rmi_lease *lease,
			 const struct jmx_request *requests, size_t count,
			 struct arena *arena, jmx_reply_fn *fn, void *self,
			 struct error *err)
{
	struct run r = {
		.s = s,
		.lease = lease,
		.requests = requests,
		.count = count,
		.arena = arena,
		.window = WINDOW_CALLS,
	};
	int status = 0;

	run_check_connection(&r);
	while (status == 0 && r.first < count) {
		run_admit(&r);
		status = run_work(&r, err);
		if (status == 0)
			status = run_pass_replies(&r, fn, self, err);
	}
	/* Returns that still arrive must not be matched to later calls. */
	if (r.head < r.sent)
		rmi_session_drop(s);
	s->used_ns = clock_monotonic_ns();
	for (; r.first < r.next; r.first++)
		job_release(run_job(&r, r.first));
	free(r.calls);
	return status;
}

/* jmx_ops, with a session, its lease and its notifications */

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
	int status;

	c->session.access.timeout_ns = j->timeout_ns;
	status = rmi_calls_run(&c->session, &c->lease, requests, count, j->keep,
			       fn, self, err);
	client_publish(c);
	/* The next fetch reports a failure to subscribe again. */
	if (status == 0 && c->notifications.count &&
	    rmi_notifications_renew(&c->notifications, &c->session,
				    error_unused()))
		rmi_session_drop(&c->session);
	return status;
}

static int client_listen(struct jmx *j, const char *object, struct error *err)
{
	struct rmi_client *c = (struct rmi_client *)j;

	c->session.access.timeout_ns = j->timeout_ns;
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
