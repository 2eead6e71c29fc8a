/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_log: a session's call, as it is to be said.
 *
 * Where a return ends is not known when it is passed on unread: a call is over
 * when there is another, or when nothing has come for a while.
 */
#ifndef JMX_HTTP_PROXY_CALL_LOG_H
#define JMX_HTTP_PROXY_CALL_LOG_H

#include "jmx_http/proxy/request.h"

/* A call that was made; texts are foreign, and "" where there is none. */
struct proxy_call {
	const char *client;        /* "127.0.0.1:50000" */
	const char *target;        /* the JVM's title */
	const char *method;        /* "getAttribute" */
	const char *object;        /* the MBean's name */
	const char *member;        /* attribute or operation */
	const char *refused;       /* why it was not passed on */
	bool is_exception;         /* the method threw one */
	uint64_t request_len, len; /* bytes there and back */
	int64_t ns;                /* until the last of them */
};

/* Zeroed: there is none. */
struct call_log {
	const struct method *method; /* NULL: there is none */
	struct text object, member;
	const char *refused;
	uint64_t request_len, len;
	int64_t begin_ns, end_ns; /* until the last byte that has come */
	uint8_t head[8];          /* of the return */
};

/* Keeps of a whole call what is said of it; never what it is given. */
void call_log_begin(struct call_log *l, const struct request *r);

/* Bytes of the return. */
void call_log_bytes(struct call_log *l, const void *bytes, size_t len);
void call_log_more(struct call_log *l, size_t len); /* as many, not shown */

/* True when bytes have come, and none since that time. */
bool call_log_is_over(const struct call_log *l, int64_t since_ns);

/* Fills *call, but for who called what JVM; it lives as long as l. */
void call_log_fill(const struct call_log *l, struct proxy_call *call);

void call_log_release(struct call_log *l); /* empty; zeroed is fine */

#endif
