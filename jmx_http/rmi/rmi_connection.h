/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_connection: one connection to a server of RMI; a call at a time.
 */
#ifndef JMX_HTTP_RMI_RMI_CONNECTION_H
#define JMX_HTTP_RMI_RMI_CONNECTION_H

#include "jmx_http/rmi/jrmp.h"
#include "jmx_http/rmi/rmi_transport.h"

#define RMI_REPLY_MAX ((size_t)64 << 20) /* bytes of one return */

/* Who answered a hello. */
enum rmi_answer {
	RMI_JRMP,
	RMI_UNWILLING, /* RMI, but not this protocol of it */
	RMI_TLS,
	RMI_HTTP,
	RMI_OTHER,
	RMI_SILENT, /* nobody, by the deadline */
	RMI_CLOSED, /* nobody; the connection was closed */
};

struct rmi_connection {
	struct rmi_transport *transport;
	struct jrmp_greeting greeting; /* after rmi_connection_greet() */
	struct text unread;
};

/* Takes the transport; rmi_connection_close() closes it. */
void rmi_connection_init(struct rmi_connection *c, struct rmi_transport *t);

/*
 * Says hello and looks who answers; *answer is set in any case.  Fails with
 * ERROR_REFUSED unless it is RMI_JRMP, saying what came instead.
 */
int rmi_connection_greet(struct rmi_connection *c, int64_t deadline_ns,
			 enum rmi_answer *answer, struct error *err);

/*
 * Sends a call and reads its return.  An exception that the method threw is in
 * *r, and is no failure.  Fails with ERROR_REFUSED; the connection is of no
 * further use then, nor after a return that is aborted.
 * jrmp_return_release() is due in any case.
 */
int rmi_connection_call(struct rmi_connection *c, const struct text *call,
			struct jrmp_return *r, int64_t deadline_ns,
			struct error *err);

/*
 * Says that the stub in a return has arrived and that the server need not keep
 * its object for it (sun.rmi.dgc.ackTimeout: five minutes otherwise).  There is
 * no answer.
 */
int rmi_connection_acknowledge(struct rmi_connection *c,
			       const struct jrmp_return *r, int64_t deadline_ns,
			       struct error *err);

/* Zeroed storage is fine. */
void rmi_connection_close(struct rmi_connection *c);

#endif
