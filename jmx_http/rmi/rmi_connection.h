/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_connection: one connection to a server of RMI.
 *
 * A call is sent, its return is received.  Several may be sent before the first
 * return is received: they come in that order.
 */
#ifndef JMX_HTTP_RMI_RMI_CONNECTION_H
#define JMX_HTTP_RMI_RMI_CONNECTION_H

#include "jmx_http/net/rmi_transport.h"
#include "jmx_http/rmi/jrmp.h"

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
	/* It came to its end, or broke: not what a deadline or TLS said. */
	bool is_lost;

	/* Private from here on. */
	struct text unread;
	size_t at; /* so much of it was read */
};

/* Takes the transport; rmi_connection_close() closes it. */
void rmi_connection_init(struct rmi_connection *c, struct rmi_transport *t);

/*
 * Says hello and looks who answers; *answer is set in any case.  Fails with
 * ERROR_REFUSED unless it is RMI_JRMP, saying what came instead; over TLS, also
 * as rmi_tls.h has it of the first read.
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
 * The two halves of rmi_connection_call().  message may be several calls: each
 * has a return.
 */
int rmi_connection_send(struct rmi_connection *c, const struct text *message,
			int64_t deadline_ns, struct error *err);
int rmi_connection_receive(struct rmi_connection *c, struct jrmp_return *r,
			   int64_t deadline_ns, struct error *err);

/*
 * Whether somebody is still there, while no return is due; ERROR_REFUSED.  The
 * first asks, the second looks, for a millisecond, whether the end has come.
 */
int rmi_connection_ping(struct rmi_connection *c, int64_t deadline_ns,
			struct error *err);
int rmi_connection_look(struct rmi_connection *c, struct error *err);

/*
 * Says that the stub in a return has arrived and that the server need not keep
 * its object for it (sun.rmi.dgc.ackTimeout: five minutes otherwise).  There is
 * no answer.
 */
int rmi_connection_acknowledge(struct rmi_connection *c,
			       const struct jrmp_return *r, int64_t deadline_ns,
			       struct error *err);

/*
 * Sets *err to what a method threw, "class: message <- …", and gives -1:
 * ERROR_PERMISSION for a SecurityException, else ERROR_REFUSED.
 */
int rmi_thrown(const struct java_value *throwable, struct error *err);

/* Zeroed storage is fine. */
void rmi_connection_close(struct rmi_connection *c);

#endif
