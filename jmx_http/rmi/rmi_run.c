/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/rmi_run.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <stdlib.h>
#include <string.h>

/* Without a single answer between them. */
#define LOSSES_MAX 3
#define LOGINS_MAX 2

/*
 * Unused for so long, a connection may have come to its end; and for so long,
 * it may be one that nobody is at any more, though there was no end.
 */
#define LOOK_NS  (20 * CLOCK_NS_PER_MS)
#define STALE_NS CLOCK_NS_PER_S

struct call {
	struct rmi_job *job; /* NULL: for a lease */
	size_t name;
	size_t bytes; /* while it is on its way */
};

struct run {
	struct rmi_session *s;
	struct rmi_lease *lease;
	const struct jmx_request *requests;
	size_t count;
	struct arena *arena;

	struct rmi_job jobs[RMI_WINDOW_CALLS]; /* a ring, by their index */
	size_t first, next;                    /* [first, next) are at work */
	size_t lacking; /* of them; while there are any, no new ones */

	/* [head, sent) are on their way, [sent, end) wait. */
	struct call *calls;
	size_t head, sent, end, cap;
	size_t bytes;            /* of those on their way */
	size_t window;           /* how many there may be */
	unsigned losses, logins; /* since the last answer */
};

static struct rmi_job *job_of(struct run *r, size_t index)
{
	return &r->jobs[index % RMI_WINDOW_CALLS];
}

static void add_call(struct run *r, struct rmi_job *job, size_t name)
{
	if (r->head == r->end)
		r->head = r->sent = r->end = 0;
	array_reserve(r->calls, r->cap, r->end + 1);
	r->calls[r->end++] = (struct call){ job, name, 0 };
	if (job)
		job->open++;
}

static void admit(struct run *r)
{
	while (!r->lacking && r->next < r->count &&
	       r->next - r->first < RMI_WINDOW_CALLS) {
		struct rmi_job *job = job_of(r, r->next);

		rmi_job_init(job, &r->requests[r->next++], r->arena);
		add_call(r, job, rmi_job_begin(job));
	}
}

/* What the job lacks is asked for, once. */
static void ask_further(struct run *r, struct rmi_job *job, size_t name)
{
	if (name != RMI_WHOLE)
		return;
	for (size_t at = 0; rmi_job_lacks(job, &at); at++)
		add_call(r, job, at);
	if (job->open)
		r->lacking++;
}

static void note_end(struct run *r, struct rmi_job *job, size_t name)
{
	if (job->open)
		return;
	/* It was counted when it asked further. */
	if (name != rmi_job_begin(job) && r->lacking)
		r->lacking--;
	rmi_job_finish(job);
}

/* The call cannot be made, or not again. */
static void give_up(struct run *r, struct call *c, const struct error *err)
{
	rmi_job_fail(c->job, c->name, err);
	note_end(r, c->job, c->name);
}

static void remove_call(struct run *r, size_t at)
{
	r->end--;
	memmove(r->calls + at, r->calls + at + 1,
		(r->end - at) * sizeof(*r->calls));
}

/* Appends the first call that waits; false when it cannot be made. */
static bool add_next(struct run *r, struct text *out)
{
	struct call *c = &r->calls[r->sent];
	size_t before = out->len;
	struct error err = { 0 };

	if (!c->job) {
		rmi_lease_ask(r->lease, r->s->logins, &r->s->id, out);
	} else if (rmi_request_add(out, &r->s->id, c->job->request, c->name,
				   &err)) {
		out->len = before;
		give_up(r, c, &err);
		remove_call(r, r->sent);
		return false;
	}
	c->bytes = out->len - before;
	return true;
}

static bool has_room(const struct run *r, const struct text *out)
{
	size_t count = r->sent - r->head;

	return !count ||
	       (count < r->window && r->bytes + out->len < RMI_WINDOW_BYTES);
}

static int64_t deadline(const struct run *r)
{
	return clock_after(clock_monotonic_ns(), r->s->access.timeout_ns);
}

/* By the half window, so that it is few messages. */
static int send_calls(struct run *r, struct error *err)
{
	struct text out = { 0 };
	int status = 0;

	if (r->sent - r->head > r->window / 2)
		return 0;
	while (r->sent < r->end && has_room(r, &out))
		if (add_next(r, &out)) {
			if (!r->calls[r->sent].job)
				rmi_session_acknowledge(r->s, &out);
			r->bytes += r->calls[r->sent++].bytes;
		}
	if (out.len)
		status = rmi_connection_send(&r->s->connection, &out,
					     deadline(r), err);
	text_release(&out);
	return status;
}

/* All that is on its way waits again. */
static void call_back(struct run *r)
{
	r->sent = r->head;
	r->bytes = 0;
}

/*
 * Those that may have been done are not sent again; nor is what asks for a
 * lease: without one most JVMs do as well.
 */
static void give_up_changes(struct run *r, const struct error *why)
{
	struct error err = *why;

	fail_in(&err, "its answer is lost, it may have been done");
	for (size_t i = r->head; i < r->sent;) {
		struct call *c = &r->calls[i];

		if (c->job && rmi_request_is_read(c->job->request)) {
			i++;
			continue;
		}
		if (c->job)
			give_up(r, c, &err);
		remove_call(r, i);
		r->sent--;
	}
}

/* The connection is gone; -1 when that is the end of the run, too. */
static int recover(struct run *r, struct error *err)
{
	bool is_lost = r->s->connection.is_lost;

	rmi_session_drop(r->s);
	give_up_changes(r, err);
	call_back(r);
	r->window = 1;
	if (is_lost && ++r->losses < LOSSES_MAX)
		return 0;
	return fail_in(err, "%s", r->s->title.bytes);
}

/* sun.rmi.transport; JDK com.sun.jmx.remote.internal.ServerCommunicatorAdmin */
static bool has_no_session(const struct jrmp_return *ret)
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

/* The session ended, or its JVM did; nothing of what is on its way was done. */
static int log_in_again(struct run *r, const struct jrmp_return *ret,
			struct error *err)
{
	if (++r->logins >= LOGINS_MAX) {
		rmi_session_drop(r->s);
		rmi_thrown(ret->value, err);
		return fail_in(err, "%s", r->s->title.bytes);
	}
	call_back(r);
	return rmi_session_login(r->s, err);
}

static void take(struct run *r, const struct jrmp_return *ret)
{
	struct call c = r->calls[r->head++];

	r->bytes -= c.bytes;
	if (r->window < RMI_WINDOW_CALLS)
		r->window *= 2;
	r->losses = 0;
	if (c.job) {
		r->logins = 0;
		rmi_job_take(c.job, c.name, ret);
		ask_further(r, c.job, c.name);
		note_end(r, c.job, c.name);
	} else if (!ret->is_exception) {
		rmi_lease_take(r->lease, ret->value);
	}
	/* What came behind an answer that was broken off was not read. */
	if (ret->is_aborted) {
		rmi_session_drop(r->s);
		call_back(r);
		r->window = 1;
	}
}

static int receive(struct run *r, struct error *err)
{
	const struct call *c = &r->calls[r->head];
	struct jrmp_return ret = {
		.is_void = c->job && rmi_request_is_void(c->job->request),
	};
	int status = rmi_connection_receive(&r->s->connection, &ret,
					    deadline(r), err);

	if (status)
		status = recover(r, err);
	else if (c->job && has_no_session(&ret))
		status = log_in_again(r, &ret, err);
	else
		take(r, &ret);
	jrmp_return_release(&ret);
	return status;
}

static int hand_on(struct run *r, jmx_reply_fn *fn, void *self,
		   struct error *err)
{
	int status = 0;

	while (status == 0 && r->first < r->next &&
	       !job_of(r, r->first)->open) {
		struct rmi_job *job = job_of(r, r->first);

		status = fn(self, r->first, &job->reply, err);
		rmi_job_release(job);
		r->first++;
	}
	return status;
}

static bool is_stale(struct run *r)
{
	struct rmi_connection *c = &r->s->connection;
	int64_t unused_ns = clock_monotonic_ns() - r->s->used_ns;
	struct error err;

	if (!c->transport || unused_ns < LOOK_NS)
		return false;
	if (unused_ns < STALE_NS)
		return rmi_connection_look(c, &err);
	return rmi_connection_ping(c, deadline(r), &err);
}

/* What is sent once is not to be sent where nobody is. */
static void check_connection(struct run *r)
{
	bool changes = false;

	for (size_t i = 0; i < r->count && !changes; i++)
		changes = !rmi_request_is_read(&r->requests[i]);
	if (changes && is_stale(r))
		rmi_session_drop(r->s);
}

/* In front of those that wait; its answer comes with theirs. */
static void add_lease(struct run *r)
{
	if (!rmi_lease_is_due(r->lease, r->s->logins) ||
	    (r->sent < r->end && !r->calls[r->sent].job))
		return;
	add_call(r, NULL, RMI_WHOLE);
	memmove(r->calls + r->sent + 1, r->calls + r->sent,
		(r->end - r->sent - 1) * sizeof(*r->calls));
	r->calls[r->sent] = (struct call){ NULL, RMI_WHOLE, 0 };
}

static int work(struct run *r, struct error *err)
{
	if (rmi_session_connect(r->s, err))
		return -1;
	add_lease(r);
	if (send_calls(r, err))
		return recover(r, err);
	/* All that could be sent were of no use. */
	if (r->head == r->sent)
		return 0;
	return receive(r, err);
}

int rmi_run(struct rmi_session *s, struct rmi_lease *lease,
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
		.window = RMI_WINDOW_CALLS,
	};
	int status = 0;

	check_connection(&r);
	while (status == 0 && r.first < count) {
		admit(&r);
		status = work(&r, err);
		if (status == 0)
			status = hand_on(&r, fn, self, err);
	}
	/* The returns that are to come would be taken for others'. */
	if (r.head < r.sent)
		rmi_session_drop(s);
	s->used_ns = clock_monotonic_ns();
	for (; r.first < r.next; r.first++)
		rmi_job_release(job_of(&r, r.first));
	free(r.calls);
	return status;
}
