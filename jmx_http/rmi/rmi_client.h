/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_client: JMX over RMI.
 *
 * A client logs in, keeps the connection alive while it is used seldom (a call
 * a minute: the JVM ends a session after two), and logs in again when the JVM
 * was restarted.  It renews the session's lease while it is open, as servers
 * other than the JVM's own agent require it.
 */
#ifndef JMX_HTTP_RMI_RMI_CLIENT_H
#define JMX_HTTP_RMI_RMI_CLIENT_H

#include "jmx_http/jmx.h"
#include "jmx_http/rmi/login.h"

/*
 * Connects; jmx_close() is due.  NULL and *err: ERROR_NO_TARGET when nothing
 * listens; ERROR_PERMISSION when the JVM demands a password, or another one;
 * ERROR_REFUSED; ERROR_MISUSE for an invalid address.
 */
struct jmx *rmi_client_open(const struct jmx_target *target, struct error *err);

/*
 * For the parts of a client, rmi_calls and rmi_notifications: its session,
 * which outlives its connection.
 */
struct rmi_session {
	struct rmi_connection connection; /* open: its transport is set */
	struct jrmp_id id;
	unsigned logins;          /* how many there were; 0: none */
	struct rmi_access access; /* its timeout_ns may be changed */
	int64_t used_ns;          /* when it was called last */
	struct text version;      /* of the JVM, foreign; "" when unknown */
	struct text title;        /* the target, for messages */

	/* Private from here on. */
	uint8_t ack_id[JRMP_ACK_LEN];
	bool owes_ack; /* of the session's stub */
	struct rmi_endpoint at;
};

/* As rmi_access_init(); rmi_session_release() is due in any case. */
int rmi_session_init(struct rmi_session *s, const struct jmx_target *target,
		     struct error *err);

/* Opens a new session; as rmi_login_run(), with the step in the message. */
int rmi_session_login(struct rmi_session *s, struct error *err);

/*
 * A connection to the session; when there is none where it was, a new session.
 * Nothing is done when there is a connection already.
 */
int rmi_session_connect(struct rmi_session *s, struct error *err);

/* One more connection to the session, such as for a call that waits long. */
int rmi_session_dial(struct rmi_session *s, struct rmi_connection *c,
		     struct error *err);

/*
 * Appends, once, that the session's stub arrived and the JVM need not keep its
 * object for that: after what asks for a lease.  There is no answer.
 */
void rmi_session_acknowledge(struct rmi_session *s, struct text *out);

/* Closes the connection, not the session. */
void rmi_session_drop(struct rmi_session *s);

/* Has the JVM close the session, too, when there is one; wipes the password. */
void rmi_session_release(struct rmi_session *s);

#endif
