/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_calls: many requests over one connection, up to 64 calls at a time.
 *
 * When the connection is lost, it is made again and what only reads is sent
 * again.  What changes something is sent once, unless it is certain that the
 * JVM has not begun with it.
 */
#ifndef JMX_HTTP_RMI_RMI_CALLS_H
#define JMX_HTTP_RMI_RMI_CALLS_H

#include "jmx_http/jmx.h"
#include "jmx_http/rmi/login.h"
#include "jmx_http/rmi/rmi_lease.h"

/* As jmx_run(); replies are made in the arena, unless it is NULL. */
int rmi_calls_run(struct rmi_session *s, struct rmi_lease *lease,
		  const struct jmx_request *requests, size_t count,
		  struct arena *arena, jmx_reply_fn *fn, void *self,
		  struct error *err);

/* In place of the index of a name: all names in one call. */
#define RMI_WHOLE SIZE_MAX

/*
 * Appends a call: the whole request or, of JMX_GET, one name of it.
 * ERROR_MISUSE when an argument does not have its type.
 */
int rmi_request_add(struct text *out, const struct jrmp_id *session,
		    const struct jmx_request *q, size_t name,
		    struct error *err);

#endif
