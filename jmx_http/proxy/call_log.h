/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_log: a client's last call, for any protocol, until it is printed.
 *
 * The proxy forwards most returns without parsing them, so it cannot see where
 * a return ends.  A call is over when the next call begins, or when no byte has
 * arrived for a while.
 */
#ifndef JMX_HTTP_PROXY_CALL_LOG_H
#define JMX_HTTP_PROXY_CALL_LOG_H

#include "core/base/text.h"
#include "jmx_http/proxy/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A finished call.  Texts are foreign, and "" if absent. */
struct proxy_call {
	const char *client;        /* "127.0.0.1:50000" */
	const char *target;        /* the JVM's title */
	const char *method;        /* "getAttribute" */
	const char *object;        /* the MBean's name */
	const char *member;        /* attribute or operation */
	const char *refused;       /* why it was not forwarded */
	bool is_exception;         /* the method threw an exception */
	uint64_t request_len, len; /* bytes of the call and of the return */
	int64_t ns;                /* duration until the last byte */
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

/* Starts a call.  Keeps its names, but never its arguments. */
void call_log_begin(struct call_log *l, const struct policy_call *c,
		    size_t request_len);

/* Adds a number of bytes of the return. */
void call_log_add(struct call_log *l, size_t len);

/* True if bytes of the return arrived, but none since since_ns. */
bool call_log_is_over(const struct call_log *l, int64_t since_ns);

/* Fills *call except client and target.  Its texts belong to l. */
void call_log_fill(const struct call_log *l, struct proxy_call *call);

void call_log_release(struct call_log *l); /* leaves no call */

#endif
