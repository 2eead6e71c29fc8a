/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_calls: sends many requests over one connection, up to 64 calls at a time.
 *
 * If the connection is lost, rmi_calls connects again and repeats the requests
 * that only read.  A request that may change something is repeated only if the
 * JVM has certainly not started it.
 */
#ifndef JMX_HTTP_RMI_RMI_CALLS_H
#define JMX_HTTP_RMI_RMI_CALLS_H

#include "jmx_http/jmx.h"
#include "jmx_http/rmi/login.h"
#include "jmx_http/rmi/rmi_lease.h"

/* As jmx_run(); replies are allocated in the arena, unless it is NULL. */
int rmi_calls_run(struct rmi_session *s, struct rmi_lease *lease,
		  const struct jmx_request *requests, size_t count,
		  struct arena *arena, jmx_reply_fn *fn, void *self,
		  struct error *err);

/* Replaces the index of a name: all names in one call. */
#define RMI_WHOLE SIZE_MAX

/*
 * Appends the call for a request, or for one name of a JMX_GET.  -1 and
 * ERROR_MISUSE if an argument is invalid for its type.
 */
int rmi_request_add(struct text *out, const struct jrmp_id *session,
		    const struct jmx_request *q, size_t name,
		    struct error *err);

#endif
