/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_connection: one connection to an RMI server.
 *
 * Several calls may be sent before the first return is received; returns arrive
 * in the order of the calls.
 */
#ifndef JMX_HTTP_RMI_RMI_CONNECTION_H
#define JMX_HTTP_RMI_RMI_CONNECTION_H

#include "jmx_http/net/rmi_transport.h"
#include "jmx_http/rmi/jrmp.h"

#define RMI_REPLY_MAX ((size_t)64 << 20) /* bytes of one return */

/* What replied to a hello. */
enum rmi_answer {
	RMI_JRMP,
	RMI_UNWILLING, /* RMI, but it rejects the stream protocol */
	RMI_TLS,
	RMI_HTTP,
	RMI_OTHER,
	RMI_SILENT, /* nothing, by the deadline */
	RMI_CLOSED, /* nothing; the connection was closed */
};

struct rmi_connection {
	struct rmi_transport *transport;
	struct jrmp_greeting greeting; /* after rmi_connection_greet() */
	/* It was closed or broke; not set for a deadline or a TLS error. */
	bool is_lost;

	/* Private from here on. */
	struct text unread;
	size_t at; /* bytes of unread that were read */
};

/* Takes the transport; rmi_connection_close() closes it. */
void rmi_connection_init(struct rmi_connection *c, struct rmi_transport *t);

/*
 * Sends a hello and reads the reply; *answer is set in any case.  Fails with
 * ERROR_REFUSED, naming what replied, unless it is RMI_JRMP; over TLS also as
 * the first read after a handshake.
 */
int rmi_connection_greet(struct rmi_connection *c, int64_t deadline_ns,
			 enum rmi_answer *answer, struct error *err);

/*
 * Sends a call and reads its return.  Succeeds when the method threw: the
 * exception is in *r.  Fails with ERROR_REFUSED; the connection must be closed
 * then, and after a return that is aborted.  jrmp_return_release() is due in
 * any case.
 */
int rmi_connection_call(struct rmi_connection *c, const struct text *call,
			struct jrmp_return *r, int64_t deadline_ns,
			struct error *err);

/*
 * The two halves of rmi_connection_call().  message may contain several calls,
 * each of which has a return.
 */
int rmi_connection_send(struct rmi_connection *c, const struct text *message,
			int64_t deadline_ns, struct error *err);
int rmi_connection_receive(struct rmi_connection *c, struct jrmp_return *r,
			   int64_t deadline_ns, struct error *err);

/*
 * Checks that the connection is alive while no return is due; ERROR_REFUSED.
 * The first sends a ping, the second waits a millisecond for an end of file.
 */
int rmi_connection_ping(struct rmi_connection *c, int64_t deadline_ns,
			struct error *err);
int rmi_connection_look(struct rmi_connection *c, struct error *err);

/*
 * Tells the server that the stub in a return has arrived, so that it need not
 * keep the object for it (sun.rmi.dgc.ackTimeout: five minutes otherwise).
 * There is no reply.
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
