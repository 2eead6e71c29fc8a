/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_run: many requests over one connection, several on their way at a time.
 *
 * A connection that is lost is made anew, and what only reads is asked again;
 * what changes something is sent once, unless it is certain that the JVM has
 * not begun with it.
 */
#ifndef JMX_HTTP_RMI_RMI_RUN_H
#define JMX_HTTP_RMI_RMI_RUN_H

#include "jmx_http/rmi/rmi_job.h"
#include "jmx_http/rmi/rmi_lease.h"
#include "jmx_http/rmi/rmi_session.h"

#define RMI_WINDOW_CALLS 64
#define RMI_WINDOW_BYTES ((size_t)256 << 10)

/* As jmx_run(); replies are made in the arena, unless it is NULL. */
int rmi_run(struct rmi_session *s, struct rmi_lease *lease,
	    const struct jmx_request *requests, size_t count,
	    struct arena *arena, jmx_reply_fn *fn, void *self,
	    struct error *err);

#endif
