/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_log: a client's last call, whatever protocol it came by, until it is
 * printed.
 *
 * The end of a return is not known when it is passed on unread: a call is over
 * when another one follows, or when nothing has come for a while.
 */
#ifndef JMX_HTTP_PROXY_CALL_LOG_H
#define JMX_HTTP_PROXY_CALL_LOG_H

#include "core/base/text.h"
#include "jmx_http/proxy/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Zeroed: no call. */
struct call_log {
	const char *method; /* NULL: no call */
	struct text object, member;
	const char *refused;
	uint64_t request_len, len;
	int64_t begin_ns, end_ns; /* until the last byte of the return */
	bool is_exception;
};

/* Starts a call; keeps names of it, never arguments. */
void call_log_begin(struct call_log *l, const struct policy_call *c,
		    size_t request_len);

/* Adds a number of bytes of the return. */
void call_log_add(struct call_log *l, size_t len);

/* True when bytes have come, and none since that time. */
bool call_log_is_over(const struct call_log *l, int64_t since_ns);

/* Fills *call except client and target; texts live as long as l. */
void call_log_fill(const struct call_log *l, struct proxy_call *call);

void call_log_release(struct call_log *l); /* empty; zeroed is fine */

#endif
