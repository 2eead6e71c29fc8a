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

/* The kind of server that replied to a hello. */
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
	/* The connection was closed or broke; not by timeout or TLS error. */
	bool is_lost;

	/* Private from here on. */
	struct text unread;
	size_t at; /* bytes of unread that were consumed */
};

/* Takes the transport; rmi_connection_close() closes it. */
void rmi_connection_init(struct rmi_connection *c, struct rmi_transport *t);

/*
 * Sends a hello and reads the reply; always sets *answer.  Unless *answer is
 * RMI_JRMP: -1 and ERROR_REFUSED with the kind of server, or the error of the
 * first read after a TLS handshake.
 */
int rmi_connection_greet(struct rmi_connection *c, int64_t deadline_ns,
			 enum rmi_answer *answer, struct error *err);

/*
 * Sends a call and reads its return.  Returns 0 even if the method threw an
 * exception, which is in *r.  -1 and ERROR_REFUSED: the caller closes the
 * connection, also after an aborted return.  The caller calls
 * jrmp_return_release() in any case.
 */
int rmi_connection_call(struct rmi_connection *c, const struct text *call,
			struct jrmp_return *r, int64_t deadline_ns,
			struct error *err);

/*
 * The two halves of rmi_connection_call().  message may contain several calls;
 * receive their returns one by one.
 */
int rmi_connection_send(struct rmi_connection *c, const struct text *message,
			int64_t deadline_ns, struct error *err);
int rmi_connection_receive(struct rmi_connection *c, struct jrmp_return *r,
			   int64_t deadline_ns, struct error *err);

/*
 * Check that the connection is alive while no return is pending; -1 and
 * ERROR_REFUSED if not.  rmi_connection_ping() sends a ping,
 * rmi_connection_look() waits one millisecond for an end of file.
 */
int rmi_connection_ping(struct rmi_connection *c, int64_t deadline_ns,
			struct error *err);
int rmi_connection_look(struct rmi_connection *c, struct error *err);

/*
 * Acknowledges the stub in a return, so that the server does not keep the
 * object for it (sun.rmi.dgc.ackTimeout: five minutes otherwise).  The server
 * sends no reply.
 */
int rmi_connection_acknowledge(struct rmi_connection *c,
			       const struct jrmp_return *r, int64_t deadline_ns,
			       struct error *err);

/*
 * Sets *err to the exception, "class: message <- …", and returns -1:
 * ERROR_PERMISSION for a SecurityException, else ERROR_REFUSED.
 */
int rmi_thrown(const struct java_value *throwable, struct error *err);

/* Zeroed storage is fine. */
void rmi_connection_close(struct rmi_connection *c);

#endif
