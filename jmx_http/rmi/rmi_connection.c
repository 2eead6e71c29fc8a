/* SPDX-License-Identifier: Apache-2.0 */
/* Sends calls and parses their returns within deadlines and size limits. */
#include "jmx_http/rmi/rmi_connection.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <errno.h>
#include <string.h>

#define PIECE 65536             /* bytes to read at a time */
#define KEPT  ((size_t)1 << 20) /* a larger buffer is freed after a reply */

void rmi_connection_init(struct rmi_connection *c, struct rmi_transport *t)
{
	*c = (struct rmi_connection){ .transport = t };
}

/* Notes that an errno other than a timeout ended the connection. */
static void connection_note_loss(struct rmi_connection *c,
				 const struct error *err)
{
	if (err->sys && err->sys != ETIMEDOUT)
		c->is_lost = true;
}

int rmi_connection_send(struct rmi_connection *c, const struct text *message,
			int64_t deadline_ns, struct error *err)
{
	err->sys = 0;
	if (!c->transport->kind->write(c->transport, message->bytes,
				       message->len, deadline_ns, err))
		return 0;
	connection_note_loss(c, err);
	return -1;
}

/* Appends the next bytes to unread; 0 at the end of file, or -1. */
static ssize_t connection_read_more(struct rmi_connection *c,
				    int64_t deadline_ns, struct error *err)
{
	ssize_t got;

	if (c->at) {
		c->unread.len -= c->at;
		memmove(c->unread.bytes, c->unread.bytes + c->at,
			c->unread.len);
		c->at = 0;
	}
	array_reserve(c->unread.bytes, c->unread.cap, c->unread.len + PIECE);
	err->sys = 0;
	got = c->transport->kind->read(c->transport,
				       c->unread.bytes + c->unread.len, PIECE,
				       deadline_ns, err);
	if (got > 0)
		c->unread.len += (size_t)got;
	else if (got == 0)
		c->is_lost = true;
	else
		connection_note_loss(c, err);
	return got;
}

static const char *connection_unread(const struct rmi_connection *c,
				     size_t *len)
{
	*len = c->unread.len - c->at;
	return *len ? c->unread.bytes + c->at : "";
}

static const enum rmi_answer connection_answers[] = {
	[JRMP_SHORT] = RMI_CLOSED,      [JRMP_GREETED] = RMI_JRMP,
	[JRMP_REFUSED] = RMI_UNWILLING, [JRMP_TLS] = RMI_TLS,
	[JRMP_HTTP] = RMI_HTTP,         [JRMP_OTHER] = RMI_OTHER,
};

static int connection_fail_answer(enum rmi_answer answer, struct error *err)
{
	static const char *const words[] = {
		[RMI_UNWILLING] = "the RMI server rejects the protocol",
		[RMI_TLS] = "the server requires TLS",
		[RMI_HTTP] = "the server speaks HTTP",
		[RMI_OTHER] = "the server does not speak RMI",
		[RMI_SILENT] = "the server accepts the connection, but sends "
			       "nothing",
		[RMI_CLOSED] = "the server closes the connection without a "
			       "reply",
	};

	return fail(err, ERROR_REFUSED, "%s", words[answer]);
}

/* Reads until the reply is recognized; *why is the error of a read. */
static enum rmi_answer connection_read_answer(struct rmi_connection *c,
					      int64_t deadline_ns,
					      struct error *why)
{
	enum jrmp_answer seen = JRMP_SHORT;
	ssize_t got = 1;

	while (got > 0 && seen == JRMP_SHORT) {
		got = connection_read_more(c, deadline_ns, why);
		seen = jrmp_read_answer(c->unread.bytes, c->unread.len,
					&c->greeting);
	}
	if (seen == JRMP_SHORT && got < 0 && why->sys == ETIMEDOUT)
		return RMI_SILENT;
	if (seen == JRMP_SHORT && c->unread.len)
		return RMI_OTHER;
	return connection_answers[seen];
}

int rmi_connection_greet(struct rmi_connection *c, int64_t deadline_ns,
			 enum rmi_answer *answer, struct error *err)
{
	struct text hello = { 0 };
	struct error why = { 0 };
	int status;

	*answer = RMI_CLOSED;
	jrmp_add_hello(&hello);
	status = rmi_connection_send(c, &hello, deadline_ns, err);
	if (status == 0) {
		*answer = connection_read_answer(c, deadline_ns, &why);
		if (*answer != RMI_JRMP)
			status = connection_fail_answer(*answer, err);
		/* A TLS error says more than "closed without a reply". */
		if (*answer == RMI_CLOSED && why.kind && !why.sys)
			*err = why;
	}
	if (status == 0) {
		c->at += c->greeting.len;
		text_clear(&hello);
		jrmp_add_endpoint(&hello);
		status = rmi_connection_send(c, &hello, deadline_ns, err);
	}
	text_release(&hello);
	return status;
}

static int connection_fail_closed(bool amid, struct error *err)
{
	return fail(err, ERROR_REFUSED, "the connection was closed %s",
		    amid ? "in the middle of a reply" : "without a reply");
}

/* Never returns JAVA_MORE.  On JAVA_WRONG, sets *err unless r->wrong is set. */
static enum java_status connection_read_return(struct rmi_connection *c,
					       struct jrmp_return *r,
					       int64_t deadline_ns,
					       struct error *err)
{
	size_t total = 0;

	for (;;) {
		size_t len, used;
		const char *bytes = connection_unread(c, &len);
		enum java_status status = jrmp_return_read(r, bytes, len,
							   &used);
		ssize_t got;

		c->at += used;
		total += used;
		if (status != JAVA_MORE)
			return status;
		if (total + (len - used) > RMI_REPLY_MAX) {
			fail(err, ERROR_REFUSED,
			     "the reply is larger than %zu MiB",
			     RMI_REPLY_MAX >> 20);
			return JAVA_WRONG;
		}
		got = connection_read_more(c, deadline_ns, err);
		if (got == 0)
			connection_fail_closed(total || len, err);
		if (got <= 0)
			return JAVA_WRONG;
	}
}

/* Frees a large buffer, so that memory holds a reply at most twice. */
static void connection_shrink(struct rmi_connection *c)
{
	if (c->unread.cap <= KEPT || c->at < c->unread.len)
		return;
	text_release(&c->unread);
	c->at = 0;
}

int rmi_connection_receive(struct rmi_connection *c, struct jrmp_return *r,
			   int64_t deadline_ns, struct error *err)
{
	enum java_status status = connection_read_return(c, r, deadline_ns,
							 err);

	connection_shrink(c);
	if (status != JAVA_WRONG)
		return 0;
	if (!r->wrong)
		return -1;
	return fail(err, ERROR_REFUSED,
		    "invalid RMI reply: %s at byte %zu of a stream", r->wrong,
		    r->stream.offset);
}

int rmi_connection_call(struct rmi_connection *c, const struct text *call,
			struct jrmp_return *r, int64_t deadline_ns,
			struct error *err)
{
	if (rmi_connection_send(c, call, deadline_ns, err))
		return -1;
	return rmi_connection_receive(c, r, deadline_ns, err);
}

int rmi_connection_ping(struct rmi_connection *c, int64_t deadline_ns,
			struct error *err)
{
	struct text message = { 0 };
	const char *bytes;
	size_t len;
	int status;

	jrmp_add_ping(&message);
	status = rmi_connection_send(c, &message, deadline_ns, err);
	text_release(&message);
	if (status)
		return -1;
	connection_unread(c, &len);
	if (!len) {
		ssize_t got = connection_read_more(c, deadline_ns, err);

		if (got == 0)
			connection_fail_closed(false, err);
		if (got <= 0)
			return -1;
	}
	bytes = connection_unread(c, &len);
	if (*bytes != JRMP_PING_ACK)
		return fail(err, ERROR_REFUSED, "invalid RMI reply to a ping");
	c->at++;
	return 0;
}

int rmi_connection_look(struct rmi_connection *c, struct error *err)
{
	size_t len;
	ssize_t got;

	connection_unread(c, &len);
	if (!len) {
		got = connection_read_more(
			c, clock_monotonic_ns() + CLOCK_NS_PER_MS, err);
		if (got == 0)
			return connection_fail_closed(false, err);
		if (got < 0 && err->sys == ETIMEDOUT)
			return 0;
		if (got < 0)
			return -1;
	}
	return fail(err, ERROR_REFUSED,
		    "not RMI: the server sent data before a request");
}

int rmi_connection_acknowledge(struct rmi_connection *c,
			       const struct jrmp_return *r, int64_t deadline_ns,
			       struct error *err)
{
	struct text message = { 0 };
	int status;

	jrmp_add_ack(&message, r->ack_id);
	status = rmi_connection_send(c, &message, deadline_ns, err);
	text_release(&message);
	return status;
}

int rmi_thrown(const struct java_value *throwable, struct error *err)
{
	struct text told = { 0 };
	enum error_kind kind = ERROR_REFUSED;

	if (java_is_caused_by(throwable, "java.lang.SecurityException"))
		kind = ERROR_PERMISSION;
	text_puts(&told, "");
	java_add_throwable(&told, throwable);
	fail(err, kind, "%s", told.len ? told.bytes : "an exception");
	text_release(&told);
	return -1;
}

void rmi_connection_close(struct rmi_connection *c)
{
	rmi_transport_close(c->transport);
	text_release(&c->unread);
	*c = (struct rmi_connection){ 0 };
}
