/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/rmi_connection.h"

#include <errno.h>
#include <string.h>

#define PIECE 16384 /* bytes asked for at a time */

void rmi_connection_init(struct rmi_connection *c, struct rmi_transport *t)
{
	*c = (struct rmi_connection){ .transport = t };
}

static int send_text(struct rmi_connection *c, const struct text *message,
		     int64_t deadline_ns, struct error *err)
{
	return c->transport->kind->write(c->transport, message->bytes,
					 message->len, deadline_ns, err);
}

/* Adds what comes next to what is unread; 0 at the end, or -1. */
static ssize_t receive(struct rmi_connection *c, int64_t deadline_ns,
		       struct error *err)
{
	char piece[PIECE];
	ssize_t got = c->transport->kind->read(c->transport, piece,
					       sizeof(piece), deadline_ns, err);

	if (got > 0)
		text_add(&c->unread, piece, (size_t)got);
	return got;
}

static void forget(struct rmi_connection *c, size_t len)
{
	if (!len)
		return;
	c->unread.len -= len;
	memmove(c->unread.bytes, c->unread.bytes + len, c->unread.len);
}

static const enum rmi_answer answers[] = {
	[JRMP_SHORT] = RMI_CLOSED,      [JRMP_GREETED] = RMI_JRMP,
	[JRMP_REFUSED] = RMI_UNWILLING, [JRMP_TLS] = RMI_TLS,
	[JRMP_HTTP] = RMI_HTTP,         [JRMP_OTHER] = RMI_OTHER,
};

static int not_rmi(enum rmi_answer answer, struct error *err)
{
	static const char *const words[] = {
		[RMI_UNWILLING] = "RMI's server refuses the protocol",
		[RMI_TLS] = "it wants TLS",
		[RMI_HTTP] = "it speaks HTTP",
		[RMI_OTHER] = "it speaks something else than RMI",
		[RMI_SILENT] = "it takes the connection and says nothing",
		[RMI_CLOSED] = "it closes the connection without an answer",
	};

	return fail(err, ERROR_REFUSED, "%s", words[answer]);
}

/* The first answer that can be told. */
static enum rmi_answer listen_for(struct rmi_connection *c, int64_t deadline_ns)
{
	enum jrmp_answer seen = JRMP_SHORT;
	struct error err = { 0 };
	ssize_t got = 1;

	while (got > 0 && seen == JRMP_SHORT) {
		got = receive(c, deadline_ns, &err);
		seen = jrmp_read_answer(c->unread.bytes, c->unread.len,
					&c->greeting);
	}
	if (seen == JRMP_SHORT && got < 0 && err.sys == ETIMEDOUT)
		return RMI_SILENT;
	if (seen == JRMP_SHORT && c->unread.len)
		return RMI_OTHER;
	return answers[seen];
}

int rmi_connection_greet(struct rmi_connection *c, int64_t deadline_ns,
			 enum rmi_answer *answer, struct error *err)
{
	struct text hello = { 0 };
	int status;

	*answer = RMI_CLOSED;
	jrmp_add_hello(&hello);
	status = send_text(c, &hello, deadline_ns, err);
	if (status == 0) {
		*answer = listen_for(c, deadline_ns);
		if (*answer != RMI_JRMP)
			status = not_rmi(*answer, err);
	}
	if (status == 0) {
		forget(c, c->greeting.len);
		text_clear(&hello);
		jrmp_add_endpoint(&hello);
		status = send_text(c, &hello, deadline_ns, err);
	}
	text_release(&hello);
	return status;
}

static int read_return(struct rmi_connection *c, struct jrmp_return *r,
		       int64_t deadline_ns, struct error *err)
{
	enum java_status status;
	size_t total = 0, used;

	for (;;) {
		ssize_t got;

		/* What came before it was asked for is part of it, too. */
		status = jrmp_return_read(r, c->unread.bytes, c->unread.len,
					  &used);
		forget(c, used);
		if (status != JAVA_MORE)
			break;
		got = receive(c, deadline_ns, err);

		if (got < 0)
			return -1;
		if (got == 0)
			return fail(err, ERROR_REFUSED,
				    "the connection was closed %s",
				    total ? "amid an answer"
					  : "without an answer");
		total += (size_t)got;
		if (total > RMI_REPLY_MAX)
			return fail(err, ERROR_REFUSED,
				    "an answer without an end");
	}
	if (status == JAVA_WRONG)
		return fail(err, ERROR_REFUSED,
			    "not an answer of RMI: %s, at byte %zu of a stream",
			    r->wrong, r->stream.offset);
	return 0;
}

int rmi_connection_call(struct rmi_connection *c, const struct text *call,
			struct jrmp_return *r, int64_t deadline_ns,
			struct error *err)
{
	if (send_text(c, call, deadline_ns, err))
		return -1;
	return read_return(c, r, deadline_ns, err);
}

int rmi_connection_acknowledge(struct rmi_connection *c,
			       const struct jrmp_return *r, int64_t deadline_ns,
			       struct error *err)
{
	struct text message = { 0 };
	int status;

	jrmp_add_ack(&message, r->ack_id);
	status = send_text(c, &message, deadline_ns, err);
	text_release(&message);
	return status;
}

void rmi_connection_close(struct rmi_connection *c)
{
	rmi_transport_close(c->transport);
	text_release(&c->unread);
	*c = (struct rmi_connection){ 0 };
}
